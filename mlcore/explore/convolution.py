"""The figures of 20 convolution."""

import functools
from types import SimpleNamespace

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from mlcore import convolution
from mlcore.data import load
from mlcore.engine.explorers import Explorer, Pick, Slider, invariant, style

KERNELS = {
    "vertical edges": np.array([[1.0, 0, -1], [1, 0, -1], [1, 0, -1]]),
    "horizontal edges": np.array([[1.0, 1, 1], [0, 0, 0], [-1, -1, -1]]),
    "local mean": np.full((3, 3), 1 / 9),
}


@functools.cache
def _digits():
    """Images (n, 1, 8, 8) with ink from 0 to 1, and their labels."""
    data = load("digits")
    return data.X.reshape(-1, 1, 8, 8) / 16, data.y.astype(int)


def _examples():
    """The first image of every digit: shape (10, 8, 8)."""
    X, y = _digits()
    return np.array([X[np.argmax(y == digit), 0] for digit in range(10)])


def _picture(axes, shape, low, high, cmap="gray_r"):
    """An image without ticks, to be filled by `set_data`."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(True)
    return axes.imshow(np.zeros(shape), cmap=cmap, vmin=low, vmax=high, interpolation="nearest")


class Slide(Explorer):
    """A digit on a canvas, a kernel, and what the kernel finds."""

    height = 320
    kernel = Pick("k", "kernel", tuple(KERNELS))
    digit = Slider("", "digit", 0, 9, 4, step=1)
    shift = Slider("", "shift to the right", 0, 8, 0, step=1)

    def prepare(self):
        self.examples = _examples()

    def _canvas(self, digit, shift):
        canvas = np.zeros((12, 18))
        canvas[2:10, 1 + shift : 9 + shift] = self.examples[digit]
        return canvas

    def compute(self, kernel, digit, shift):
        k = KERNELS[kernel]
        found = convolution.correlate(self._canvas(digit, shift), k)
        return SimpleNamespace(
            name=kernel,
            k=k,
            digit=digit,
            shift=shift,
            canvas=self._canvas(digit, shift),
            found=found,
            moved=convolution.correlate(self._canvas(digit, 0), k),
            strongest=np.unravel_index(np.abs(found).argmax(), found.shape),
        )

    def draw(self, figure):
        left, middle, right = figure.subplots(1, 3, width_ratios=(18, 5, 16))
        style.headline(figure, "The same nine numbers, everywhere: a shifted image gives a shifted answer")
        self.image = self.moving(_picture(left, (12, 18), 0, 1))
        self.small = self.moving(_picture(middle, (3, 3), -1, 1, "PuOr"))
        self.map = self.moving(_picture(right, (10, 16), -2.5, 2.5, "PuOr"))
        left.set_title("image, 12 × 18", fontweight="normal")
        middle.set_title("kernel", fontweight="normal")
        right.set_title("answer, 10 × 16", fontweight="normal")
        self.frame = self.moving(left.add_patch(Rectangle((0, 0), 3, 3, fill=False, ec=style.ERROR, linewidth=2)))
        self.mark = self.moving(right.add_patch(Rectangle((0, 0), 1, 1, fill=False, ec=style.ERROR, linewidth=2)))

    def update(self, state):
        self.image.set_data(state.canvas)
        self.small.set_data(state.k)
        self.map.set_data(state.found)
        i, j = state.strongest
        self.frame.set_xy((j - 0.5, i - 0.5))
        self.mark.set_xy((j - 0.5, i - 0.5))

    def describe(self, state):
        i, j = state.strongest
        return (
            f"The digit {state.digit}, {state.shift} pixels to the right of its first place, and the kernel for "
            f"{state.name}: purple answers are positive, orange ones negative. The strongest, "
            f"{state.found[i, j]:.2f}".replace("-", "−")
            + f", is in row {i + 1}, column {j + 1} of the answer; the frame shows the window that it comes from."
        )

    @invariant("shifting the image shifts the answer")
    def _equivariant(self, state):
        width = state.found.shape[1] - state.shift
        return np.allclose(state.found[:, state.shift :], state.moved[:, :width])

    @invariant("every answer is the kernel times its window")
    def _window(self, state):
        i, j = state.strongest
        return np.isclose(state.found[i, j], np.sum(state.k * state.canvas[i : i + 3, j : j + 3]))


class Windows(Explorer):
    """One row of an image of width 32, padded, and all windows that the layer looks at."""

    height = 330
    F = Slider("F", "filter size", 1, 11, 5, step=1)
    P = Slider("P", "padding", 0, 5, 2, step=1)
    S = Slider("S", "stride", 1, 5, 1, step=1)

    W, C, K = 32, 3, 10

    def compute(self, F, P, S):
        starts = np.arange(0, self.W + 2 * P - F + 1, S) - P
        width = convolution.output_size(self.W, F, P, S)
        conv, dense = convolution.parameters(self.W, self.W, self.C, F, self.K)
        return SimpleNamespace(F=F, P=P, S=S, starts=starts, width=width, conv=conv, dense=dense)

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-5.6, 37.6)
        axes.set_ylim(-1.6, 13.4)
        axes.axis("off")
        axes.set_title("The output counts the places where the window fits")
        for cell in range(self.W):
            axes.add_patch(Rectangle((cell, 0), 1, 1, fc="#e6e6e6", ec="white"))
        self.pads = [
            self.moving(axes.add_patch(Rectangle((at, 0), 1, 1, fc="white", ec=style.TRUTH, linestyle=":")))
            for at in (*range(-5, 0), *range(self.W, self.W + 5))
        ]
        self.bars = self.moving(axes.add_collection(LineCollection([], colors=style.MODEL, linewidths=3)))
        self.dots = self.moving(axes.scatter([], [], s=14, color=style.ERROR, zorder=3))
        axes.text(-5.5, -1.2, "one row of the image, 32 wide; dotted: padding", color=style.DATA, fontsize=9)
        self.readout = self.moving(axes.text(16, 12.2, "", ha="center", fontweight="bold"))

    def update(self, state):
        for patch in self.pads:
            at = patch.get_x()
            patch.set_visible(-state.P <= at < self.W + state.P)
        heights = 1.6 + 0.8 * (np.arange(len(state.starts)) % 12)
        gap = 0.12
        self.bars.set_segments(
            [[(s + gap, h), (s + state.F - gap, h)] for s, h in zip(state.starts, heights, strict=True)]
        )
        self.dots.set_offsets(np.column_stack([state.starts + state.F / 2, heights]))
        self.readout.set_text(f"32 × 32 × 3  →  {state.width} × {state.width} × 10        {state.conv} parameters")

    def describe(self, state):
        return (
            f"Ten filters of size {state.F} × {state.F} × 3 with padding {state.P} and stride {state.S} turn an image "
            f"of 32 × 32 × 3 into {state.width} × {state.width} × 10, with {state.conv} parameters. A fully connected "
            f"layer with ten outputs has {state.dense}."
        )

    @invariant("the formula counts the windows")
    def _counts(self, state):
        return state.width == len(state.starts)

    @invariant("padding and stride cost no parameters", along="S")
    def _free(self, before, after):
        return before.conv == after.conv

    @invariant("a longer stride never gives more places", along="S")
    def _fewer(self, before, after):
        return after.width <= before.width


class Pool(Explorer):
    """A digit, its max-pooled image, and the pixels that receive a gradient."""

    height = 340
    S = Pick("S", "window", ("2", "4", "8", "1"))
    digit = Slider("", "digit", 0, 9, 3, step=1)
    shift = Slider("", "shift down", 0, 4, 0, step=1)

    def prepare(self):
        self.examples = _examples()

    def compute(self, S, digit, shift):
        S = int(S)
        X = np.zeros((8, 8))
        X[shift:] = self.examples[digit][: 8 - shift]
        pooled = convolution.max_pool(X, S)
        chosen = convolution.pool_gradient(X, np.ones_like(pooled), S) > 0
        return SimpleNamespace(S=S, digit=digit, shift=shift, X=X, pooled=pooled, chosen=chosen)

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "One pixel of every window speaks, and only that one hears the gradient")
        self.image = self.moving(_picture(left, (8, 8), 0, 1))
        self.small = self.moving(_picture(right, (8, 8), 0, 1))
        left.set_title("image; × the pixels that receive a gradient", fontweight="normal")
        right.set_title("after max-pooling", fontweight="normal")
        self.grid = self.moving(left.add_collection(LineCollection([], colors=style.MODEL, linewidths=1)))
        (self.marks,) = left.plot([], [], "x", color=style.ERROR, markersize=8, markeredgewidth=2)
        self.moving(self.marks)

    def update(self, state):
        self.image.set_data(state.X)
        self.small.set_data(np.kron(state.pooled, np.ones((state.S, state.S))))
        edges = np.arange(0, 9, state.S) - 0.5
        self.grid.set_segments([[(e, -0.5), (e, 7.5)] for e in edges] + [[(-0.5, e), (7.5, e)] for e in edges])
        rows, columns = np.nonzero(state.chosen)
        self.marks.set_data(columns, rows)

    def describe(self, state):
        side = 8 // state.S
        return (
            f"The digit {state.digit}, {state.shift} rows down, in windows of {state.S} × {state.S}: "
            f"{side * side} of 64 numbers are left, with a mean of {state.pooled.mean():.2f} against "
            f"{state.X.mean():.2f} in the image. {np.sum(state.chosen)} pixels receive a gradient."
        )

    @invariant("every window passes its gradient to exactly one pixel")
    def _one_each(self, state):
        return np.all(convolution._blocks(state.chosen, state.S).sum(axis=(-3, -1)) == 1)

    @invariant("max-pooling never lowers the mean")
    def _brighter(self, state):
        return state.pooled.mean() >= state.X.mean() - 1e-12


# --- a net that learns its filters ---

EPOCHS = 10


def _accuracy(z, y):
    return np.mean(z.argmax(axis=1) == y)


def _softmax_regression(X, y, batches, eta):
    """The states of a linear classifier on the pixels."""
    V, c = np.zeros((10, X.shape[1])), np.zeros(10)
    yield V, c
    for batch in batches:
        delta = convolution.softmax(X[batch] @ V.T + c)
        delta[np.arange(len(batch)), y[batch]] -= 1
        V, c = V - eta / len(batch) * delta.T @ X[batch], c - eta / len(batch) * delta.sum(axis=0)
        yield V, c


@functools.cache
def _learning(seed=0, eta=0.3):
    """Nets after every epoch, and the accuracies on 797 new digits: as they are, scrambled, and without filters."""
    X, y = _digits()
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    train, new = order[:1000], order[1000:]
    scrambled = X.reshape(-1, 64)[:, rng.permutation(64)].reshape(X.shape)
    batches = [train[part] for _ in range(EPOCHS) for part in np.split(rng.permutation(1000), 50)]
    start = convolution.initial(np.random.default_rng(seed))
    nets = list(convolution.train(start, X, y, eta, batches))[::50]
    others = list(convolution.train(start, scrambled, y, eta, batches))[::50]
    linear = list(_softmax_regression(X.reshape(-1, 64), y, batches, eta))[::50]
    curves = {
        "accuracy": [_accuracy(convolution.scores(net, X[new]), y[new]) for net in nets],
        "scrambled": [_accuracy(convolution.scores(net, scrambled[new]), y[new]) for net in others],
        "linear": [_accuracy(X[new].reshape(-1, 64) @ V.T + c, y[new]) for V, c in linear],
    }
    return nets, {name: np.array(curve) for name, curve in curves.items()}


class Learned(Explorer):
    """The eight filters of a small net on its way through ten epochs, and what it is worth."""

    height = 360
    epoch = Slider("", "epochs", 0, EPOCHS, EPOCHS, step=1, play=True)

    def prepare(self):
        self.nets, self.curves = _learning()

    def compute(self, epoch):
        net = self.nets[epoch]
        return SimpleNamespace(
            epoch=epoch,
            kernels=net.k[:, 0],
            moved=np.linalg.norm(net.k - self.nets[0].k) / np.linalg.norm(self.nets[0].k),
            **{name: curve[epoch] for name, curve in self.curves.items()},
        )

    def draw(self, figure):
        grid = figure.add_gridspec(2, 5, width_ratios=(1, 1, 1, 1, 4.6))
        style.headline(figure, "The net finds its own filters, and they need pixels that have neighbours")
        self.images = []
        for index in range(8):
            axes = figure.add_subplot(grid[index // 4, index % 4])
            self.images.append(self.moving(_picture(axes, (3, 3), -1.2, 1.2, "PuOr")))
        axes = figure.add_subplot(grid[:, 4])
        axes.set_xlim(0, EPOCHS)
        axes.set_ylim(0.75, 1)
        axes.set_yticks([0.8, 0.85, 0.9, 0.95, 1], ["80%", "85%", "90%", "95%", "100%"])
        axes.set_xlabel("epochs")
        axes.set_title("right on 797 new digits", fontweight="normal")
        looks = {"accuracy": (style.MODEL, "-"), "linear": (style.DATA, ":"), "scrambled": (style.ERROR, "--")}
        for name, (colour, line) in looks.items():
            axes.plot(self.curves[name], color=colour, linestyle=line)
        words = {
            "accuracy": "— filters, pooling, softmax",
            "linear": "··· softmax alone",
            "scrambled": "- - pixels scrambled",
        }
        for row, (name, word) in enumerate(words.items()):
            axes.text(9.8, 0.794 - 0.016 * row, word, color=looks[name][0], fontweight="bold", fontsize=9, ha="right")
        self.now = self.moving(axes.axvline(0, color=style.TRUTH, linewidth=1))
        (self.dot,) = axes.plot([], [], "o", color=style.MODEL, markersize=8)
        self.moving(self.dot)

    def update(self, state):
        for image, kernel in zip(self.images, state.kernels, strict=True):
            image.set_data(kernel)
        self.now.set_xdata([state.epoch, state.epoch])
        self.dot.set_data([state.epoch], [max(state.accuracy, 0.75)])

    def describe(self, state):
        return (
            f"After {state.epoch} epochs on 1000 digits the net with eight filters is right on {state.accuracy:.1%} of "
            f"797 new ones, the same net on scrambled pixels on {state.scrambled:.1%}, softmax regression on "
            f"{state.linear:.1%}. The filters have changed by {state.moved:.0%} of their length."
        )

    @invariant("what is learnt is better than chance")
    def _learns(self, state):
        return state.epoch == 0 or min(state.accuracy, state.scrambled, state.linear) > 0.5

    @invariant("after the first epochs scrambling costs accuracy")
    def _neighbours(self, state):
        return state.epoch < 2 or state.accuracy > state.scrambled


# --- codes ---


class Codes(Explorer):
    """Digits through a linear autoencoder of width K, at its optimum."""

    height = 350
    K = Slider("K", "numbers in the code", 0, 64, 8, step=1)
    digit = Slider("", "first digit", 0, 6, 2, step=1)

    def prepare(self):
        X, _ = _digits()
        self.mean = X.reshape(-1, 64).mean(axis=0)
        self.X = X.reshape(-1, 64) - self.mean
        lams, U = np.linalg.eigh(self.X.T @ self.X / len(X))
        self.lams, self.U = np.maximum(lams[::-1], 0), U[:, ::-1]
        self.floors = np.append(np.cumsum(self.lams[::-1])[::-1], 0.0)
        self.examples = _examples().reshape(10, 64)

    def compute(self, K, digit):
        E = self.U[:, :K]
        shown = self.examples[digit : digit + 4]
        return SimpleNamespace(
            K=K,
            digit=digit,
            shown=shown,
            back=(shown - self.mean) @ E @ E.T + self.mean,
            error=convolution.autoencoder_loss(self.X, E, E.T),
            floor=self.floors[K],
            share=1 - self.floors[K] / self.floors[0],
        )

    def draw(self, figure):
        grid = figure.add_gridspec(2, 2, width_ratios=(1.1, 1))
        style.headline(figure, "A narrow code keeps the directions in which the digits differ most")
        self.rows = []
        for row, word in enumerate(("images", "decoded")):
            axes = figure.add_subplot(grid[row, 0])
            self.rows.append(self.moving(_picture(axes, (8, 35), 0, 1)))
            axes.set_title(word, fontweight="normal")
        axes = figure.add_subplot(grid[:, 1])
        axes.set_xlim(-1, 65)
        axes.set_ylim(0, 5)
        axes.set_xlabel("K, numbers in the code")
        axes.set_title("squared error of an image", fontweight="normal")
        axes.plot(np.arange(65), self.floors, color=style.REFERENCE)
        axes.text(20, 1.6, "sum of the dropped\neigenvalues", color=style.REFERENCE, fontweight="bold")
        (self.dot,) = axes.plot([], [], "o", color=style.MODEL, markersize=8)
        self.readout = axes.text(0.97, 0.95, "", transform=axes.transAxes, ha="right", va="top")
        for artist in (self.dot, self.readout):
            self.moving(artist)

    def update(self, state):
        for artist, images in zip(self.rows, (state.shown, state.back), strict=True):
            strip = np.zeros((8, 4, 9))
            strip[:, :, :8] = images.reshape(4, 8, 8).transpose(1, 0, 2)
            artist.set_data(strip.reshape(8, 36)[:, :35])
        self.dot.set_data([state.K], [state.error])
        self.readout.set_text(f"error {state.error:.3f}\n{state.share:.0%} of the variance kept")

    def describe(self, state):
        return (
            f"The digits {state.digit} to {state.digit + 3}, encoded by {state.K} numbers each and decoded again. The "
            f"mean squared error over all 1797 images is {state.error:.3f}, and {state.share:.0%} of the variance is "
            f"kept."
        )

    @invariant("the error is the sum of the dropped eigenvalues")
    def _floor(self, state):
        return np.isclose(state.error, state.floor, atol=1e-9)

    @invariant("a wider code never errs more", along="K")
    def _falls(self, before, after):
        return after.error <= before.error + 1e-12
