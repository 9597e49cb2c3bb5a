"""The figures of 08 validation."""

from types import SimpleNamespace

import numpy as np

from mlcore import validation
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style, tell

LAMS = np.geomspace(0.1, 1e4, 51)


def patients():
    """65 columns from the ten measurements, and the outcome: 300 patients to train on and 142 to test on."""
    data = load("diabetes")
    X = validation.with_products(data.standardised()[0])
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:300], order[300:]
    return X[train], data.y[train], X[test], data.y[test]


def flowers(feature):
    """One measurement of 50 versicolor (0) and 50 virginica (1)."""
    data = load("iris")
    two = data.y > 0
    return data.X[two, data.features.index(feature)], (data.y[two] == 2).astype(int)


def _penalty_axis(axes):
    axes.set_xscale("log")
    axes.set_xlim(LAMS[0], LAMS[-1])
    axes.set_xlabel("λ, penalty")
    axes.set_ylim(2000, 6000)
    axes.set_ylabel("mean squared error")


class Unseen(Explorer):
    """The error on the patients of the fit and on others, against λ."""

    height = 340

    def prepare(self):
        X, y, X_test, y_test = patients()
        W, b = validation.ridge_path(X, y, LAMS)
        self.train, self.test = (
            np.mean((A @ W.T + b - c[:, None]) ** 2, axis=0) for A, c in ((X, y), (X_test, y_test))
        )

    def compute(self):
        return SimpleNamespace(train=self.train, test=self.test, best=LAMS[np.argmin(self.test)])

    def draw(self, figure):
        axes = figure.subplots()
        _penalty_axis(axes)
        axes.set_title("The patients of the fit always vote for the smallest penalty")
        axes.plot(LAMS, self.train, color=style.MODEL, linestyle="--")
        axes.plot(LAMS, self.test, color=style.ERROR)
        best = np.argmin(self.test)
        axes.plot(LAMS[best], self.test[best], "o", color=style.ERROR)
        axes.text(0.13, 2090, "300 patients of the fit", color=style.MODEL, fontweight="bold")
        axes.text(0.13, 3640, "142 other patients", color=style.ERROR, fontweight="bold")
        axes.text(LAMS[best], 2890, "smallest here", color=style.ERROR, ha="center", va="top")

    def describe(self, state):
        return (
            f"Mean squared error of ridge with 65 columns against λ from 0.1 to 10 000. On the 300 patients of the fit "
            f"it only rises, from {tell(state.train[0])} to {tell(state.train[-1])}. On 142 other patients it falls "
            f"from {tell(state.test[0])} to {tell(state.test.min())} near λ = {tell(state.best)} and then rises to "
            f"{tell(state.test[-1])}."
        )

    @invariant("the error on the patients of the fit never falls as λ grows")
    def _rises(self, state):
        return np.all(np.diff(state.train) > 0)


class Folds(Explorer):
    """The cross-validation error of the training patients against λ, with its standard error."""

    height = 380
    lam = LogSlider("λ", "penalty", 0.1, 1e4, 1.0)
    k = Pick("k", "folds", ("10", "5", "2", "n"))
    split = Slider("", "another split", 0, 9, 0, step=1)

    def prepare(self):
        self.X, self.y, *_ = patients()
        W, b = validation.ridge_path(self.X, self.y, LAMS)
        self.train = np.mean((self.X @ W.T + b - self.y[:, None]) ** 2, axis=0)
        self.known = {}

    def _errors(self, k, split):
        """The fold errors at all λ, computed once for each split; with k = n these are single patients."""
        if k == "n":
            rows = [validation.loo_residuals(self.X, self.y, lam, free_bias=True) ** 2 for lam in LAMS]
            return np.array(rows).T
        folds = validation.fold_labels(len(self.y), int(k), np.random.default_rng(int(split)))
        return validation.fold_errors(self.X, self.y, LAMS, folds)

    def compute(self, lam, k, split):
        key = (k, 0 if k == "n" else split)
        if key not in self.known:
            self.known[key] = self._errors(*key)
        errors = self.known[key]
        curve, spread = errors.mean(axis=0), validation.standard_error(errors)
        now = np.argmin(np.abs(np.log(LAMS / lam)))  # the slider's places are those of LAMS
        return SimpleNamespace(
            lam=lam,
            k=k,
            split=split,
            curve=curve,
            spread=spread,
            error=curve[now],
            spread_now=spread[now],
            best=LAMS[np.argmin(curve)],
        )

    def draw(self, figure):
        axes = figure.subplots()
        _penalty_axis(axes)
        axes.set_title("Patients left out in turn show the U that the training error hides")
        axes.plot(LAMS, self.train, color=style.MODEL, linestyle="--")
        axes.text(0.13, 2090, "training error", color=style.MODEL, fontweight="bold")
        (self.line,) = axes.plot([], [], color=style.ERROR)
        self.upper, self.lower = (axes.plot([], [], color=style.ERROR, linewidth=1, linestyle=":")[0] for _ in "ul")
        (self.dot,) = axes.plot([], [], "o", color=style.ERROR)
        (self.lowest,) = axes.plot([], [], "^", color=style.DATA, markersize=7)
        self.now = axes.axvline(1, ymax=0.75, color=style.DATA, linewidth=1)
        key = "cross-validation ± standard error"
        axes.text(0.35, 0.97, key, transform=axes.transAxes, va="top", color=style.ERROR, fontweight="bold")
        self.readout = axes.text(0.35, 0.90, "", transform=axes.transAxes, va="top")
        for artist in (self.line, self.upper, self.lower, self.dot, self.lowest, self.now, self.readout):
            self.moving(artist)

    def update(self, state):
        self.line.set_data(LAMS, state.curve)
        self.upper.set_data(LAMS, state.curve + state.spread)
        self.lower.set_data(LAMS, state.curve - state.spread)
        self.dot.set_data([state.lam], [state.error])
        self.lowest.set_data([state.best], [state.curve.min() - 140])
        self.now.set_xdata([state.lam, state.lam])
        self.readout.set_text(
            f"at λ = {state.lam:.3g}: {state.error:.0f} ± {state.spread_now:.0f}\n"
            f"▴ smallest at λ = {state.best:.3g}: {state.curve.min():.0f}"
        )

    def describe(self, state):
        how = "leaving out one patient at a time" if state.k == "n" else f"{state.k} folds, split {state.split}"
        return (
            f"Cross-validation on 300 patients, {how}: the error at λ = {state.lam:.3g} is {state.error:.0f} with "
            f"a standard error of {state.spread_now:.0f}. It is smallest, {state.curve.min():.0f}, at "
            f"λ = {state.best:.3g}."
        )

    @invariant("patients outside the fit are predicted worse than those inside")
    def _above(self, state):
        return np.all(state.curve > self.train)

    @invariant("the smallest error is between the ends")
    def _inside(self, state):
        return LAMS[0] < state.best < LAMS[-1]

    @invariant("leaving one out does not depend on the split", along="split")
    def _no_chance(self, before, after):
        return before.k != "n" or np.array_equal(before.curve, after.curve)


class Threshold(Explorer):
    """Two species by one measurement: counts, rates and the point on the ROC curve for a threshold."""

    height = 370
    t = Slider("t", "threshold, cm", 2.9, 8.0, 5.8, step=0.1)
    feature = Pick("", "score", ("sepal length", "petal length"))

    def prepare(self):
        self.grid = np.round(np.arange(29, 81) / 10, 1)
        self.data = {name: self._rates(*flowers(name.replace(" ", "_"))) for name in self.feature.options}

    def _rates(self, s, y):
        """All that does not depend on the threshold."""
        _, fpr, tpr = validation.roc_curve(s, y)
        rates = np.array([validation.roc_point(s, y, t) for t in self.grid])
        return {
            "s": s,
            "y": y,
            "curve": (fpr, tpr),
            "fprs": rates[:, 0],
            "fnrs": 1 - rates[:, 1],
            "eer": validation.equal_error_rate(s, y),
            "auc": validation.auc(s, y),
        }

    def compute(self, t, feature):
        t = round(t, 1)  # as the measurements are
        data = self.data[feature]
        TP, FN, TN, FP = validation.confusion(data["s"], data["y"], t)
        return SimpleNamespace(
            t=t,
            feature=feature,
            counts=np.array([[TP, FN], [FP, TN]]),
            fpr=FP / (FP + TN),
            fnr=FN / (TP + FN),
            **data,
        )

    def draw(self, figure):
        figure.set_layout_engine("none")  # two of the axes are square: they are placed by hand
        left, middle, right = (
            figure.add_axes(place)
            for place in ((0.055, 0.135, 0.34, 0.70), (0.475, 0.135, 0.30, 0.70), (0.82, 0.135, 0.175, 0.70))
        )
        style.headline(figure, "One threshold sets the four counts, both error rates and the point on the curve")
        self._draw_rates(left)
        self._draw_curve(middle)
        self._draw_counts(right)

    def _draw_rates(self, axes):
        axes.set_xlim(2.8, 8.1)
        axes.set_ylim(-0.62, 1.03)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes.set_xlabel("score, cm")
        axes.set_title("error rates", fontweight="normal")
        axes.axhline(0, color=style.TRUTH, linewidth=0.8)
        axes.text(2.9, -0.13, "virginica", color=style.MODEL, fontsize=9, fontweight="bold")
        axes.text(2.9, -0.57, "versicolor", color=style.DATA, fontsize=9, fontweight="bold")
        (self.positives,) = axes.plot([], [], "o", color=style.MODEL, markersize=3, alpha=0.6)
        (self.negatives,) = axes.plot([], [], "x", color=style.DATA, markersize=3.5, alpha=0.7)
        (self.fpr,) = axes.plot([], [], color=style.ERROR, drawstyle="steps-pre")
        (self.fnr,) = axes.plot([], [], color=style.SECOND, linestyle="--", drawstyle="steps-pre")
        self.eer_line = axes.axhline(0, color=style.REFERENCE, linewidth=1, linestyle=":")
        self.eer_text = axes.text(8.05, 0, "", color=style.REFERENCE, fontsize=9, ha="right", va="bottom")
        self.cut = axes.axvline(5, color="black", linewidth=1.2)
        self.names = [
            axes.text(0, 0, name, color=colour, fontsize=9, fontweight="bold", ha=ha)
            for name, colour, ha in (("FPR", style.ERROR, "right"), ("FNR", style.SECOND, "left"))
        ]
        for artist in (self.positives, self.negatives, self.fpr, self.fnr, self.eer_line, self.eer_text, self.cut):
            self.moving(artist)
        for name in self.names:
            self.moving(name)

    def _draw_curve(self, axes):
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.03, 1.03)
        axes.set_aspect("equal")
        axes.set_xlabel("FPR")
        axes.set_ylabel("TPR")
        axes.set_title("ROC curve", fontweight="normal")
        axes.plot([0, 1], [0, 1], color=style.TRUTH, linewidth=1)
        axes.plot([0, 1], [1, 0], color=style.REFERENCE, linewidth=1, linestyle=":")
        (self.roc,) = axes.plot([], [], color=style.MODEL)
        (self.point,) = axes.plot([], [], "o", color="black", markersize=7)
        self.area = axes.text(0.97, 0.05, "", ha="right", color=style.MODEL, fontweight="bold")
        for artist in (self.roc, self.point, self.area):
            self.moving(artist)

    def _draw_counts(self, axes):
        axes.set_xlim(-0.5, 1.5)
        axes.set_ylim(1.5, -0.5)
        axes.set_aspect("equal")
        axes.grid(visible=False)
        axes.set_xticks([0, 1], ["yes", "no"])
        axes.set_yticks([0, 1], ["virginica", "versicolor"], rotation=90, va="center", fontsize=8.5)
        axes.tick_params(length=0)
        axes.set_xlabel("virginica said")
        axes.set_title("counts", fontweight="normal")
        axes.axhline(0.5, color=style.TRUTH, linewidth=0.8)
        axes.axvline(0.5, color=style.TRUTH, linewidth=0.8)
        self.counts = []
        for i, row in enumerate((("TP", "FN"), ("FP", "TN"))):
            for j, name in enumerate(row):
                colour = style.DATA if name[0] == "T" else style.ERROR
                axes.text(j, i - 0.28, name, ha="center", va="center", fontsize=9, color=colour)
                count = axes.text(j, i + 0.1, "", ha="center", va="center", fontsize=14, color=colour)
                self.counts.append(self.moving(count))

    def update(self, state):
        for dots, c, base in ((self.positives, 1, -0.2), (self.negatives, 0, -0.45)):
            dots.set_data(*_piled(state.s[state.y == c], base))
        self.fpr.set_data(self.grid, state.fprs)
        self.fnr.set_data(self.grid, state.fnrs)
        self.eer_line.set_ydata([state.eer, state.eer])
        self.eer_text.set_position((8.05, state.eer))
        self.eer_text.set_text(f"EER {state.eer:.2f}")
        self.cut.set_xdata([state.t, state.t])
        self.names[0].set_position((self.grid[np.argmax(state.fprs < 0.6)] - 0.2, 0.52))
        self.names[1].set_position((self.grid[np.argmax(state.fnrs > 0.6)] + 0.15, 0.52))
        self.roc.set_data(*state.curve)
        self.point.set_data([state.fpr], [1 - state.fnr])
        self.area.set_text(f"AUC {state.auc:.3f}")
        for text, count in zip(self.counts, state.counts.ravel(), strict=True):
            text.set_text(f"{count}")

    def describe(self, state):
        (TP, FN), (FP, TN) = state.counts
        return (
            f"Virginica is said for a {state.feature} of at least {state.t:.1f} cm. Of 50 virginica {TP} are found and "
            f"{FN} missed; of 50 versicolor {FP} are called virginica and {TN} not. FPR {state.fpr:.2f}, "
            f"FNR {state.fnr:.2f}, TPR {1 - state.fnr:.2f}; the two error rates cross at {state.eer:.2f}. "
            f"The area under the ROC curve is {state.auc:.3f}."
        )

    @invariant("raising the threshold never raises FPR and never lowers FNR", along="t")
    def _trade(self, before, after):
        return after.fpr <= before.fpr and after.fnr >= before.fnr

    @invariant("the four counts are the hundred flowers")
    def _all(self, state):
        return np.array_equal(state.counts.sum(axis=1), [50, 50])

    @invariant("the point lies on the ROC curve")
    def _on_curve(self, state):
        fpr, tpr = state.curve
        return np.any(np.isclose(fpr, state.fpr) & np.isclose(tpr, 1 - state.fnr))

    @invariant("the area does not depend on the threshold", along="t")
    def _same_area(self, before, after):
        return before.auc == after.auc


def _piled(s, base):
    """Equal scores on top of each other, downwards: so ties show."""
    s = np.sort(s)
    height = np.arange(len(s)) - np.searchsorted(s, s)
    return s, base + 0.02 * height


class Balance(Explorer):
    """The same flowers and threshold in a field with another share of virginica."""

    height = 380
    share = Slider("π", "share of virginica", 0.02, 0.98, 0.06, step=0.02)
    t = Slider("t", "threshold, cm", 5.0, 7.9, 6.9, step=0.1)

    def prepare(self):
        self.s, self.y = flowers("sepal_length")
        self.shares = np.linspace(0, 1, 101)
        self.shares[[0, -1]] = 0.002, 0.998

    def compute(self, share, t):
        m = round(50 * share)
        often = np.where(self.y == 1, m, 50 - m)  # each virginica m times, each versicolor 50 − m times
        s, y = np.repeat(self.s, often), np.repeat(self.y, often)
        TP, FN, TN, FP = validation.confusion(s, y, round(t, 1))
        _, fpr, tpr = validation.roc_curve(s, y)
        rate, tnr = TP / (TP + FN), TN / (TN + FP)
        said = self.shares * rate + (1 - self.shares) * (1 - tnr)
        return SimpleNamespace(
            share=share,
            t=round(t, 1),
            tpr=rate,
            tnr=tnr,
            accuracy=(TP + TN) / len(s),
            precision=TP / (TP + FP),
            balanced=(rate + tnr) / 2,
            auc=np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2),
            accuracies=validation.accuracy(rate, tnr, self.shares),
            precisions=self.shares * rate / said,
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(0, 1.42)
        axes.set_ylim(0, 1.03)
        axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1])
        axes.set_xlabel("π, share of virginica in the field", x=0.5 / 1.42)
        axes.set_title("Accuracy follows the commoner class; balanced accuracy and AUC stay")
        axes.plot([0, 1], [1, 0], color=style.TRUTH, linewidth=1, linestyle=":")
        axes.text(0.70, 0.11, "never say virginica", color="#707070", rotation=-30, ha="center", fontsize=9)
        (self.accuracy,) = axes.plot([], [], color=style.ERROR)
        (self.balanced,) = axes.plot([], [], color=style.MODEL, linestyle="--")
        (self.auc,) = axes.plot([], [], color=style.REFERENCE, linewidth=1.2)
        (self.precision,) = axes.plot([], [], color=style.SECOND, linestyle="-.")
        (self.dots,) = axes.plot([], [], "o", color="black", markersize=5)
        self.now = axes.axvline(0.1, color=style.DATA, linewidth=1)
        for artist in (self.accuracy, self.balanced, self.auc, self.precision, self.now, self.dots):
            self.moving(artist)
        self.readouts = []
        keys = ((style.ERROR, "-"), (style.MODEL, "--"), (style.REFERENCE, "-"), (style.SECOND, "-."))
        for row, (colour, dashes) in enumerate(keys):
            y = 0.92 - 0.13 * row
            axes.plot([1.04, 1.10], [y, y], color=colour, linestyle=dashes)
            self.readouts.append(self.moving(axes.text(1.12, y, "", color=colour, fontweight="bold", va="center")))

    def update(self, state):
        self.accuracy.set_data(self.shares, state.accuracies)
        self.precision.set_data(self.shares, state.precisions)
        self.balanced.set_data([0, 1], [state.balanced] * 2)
        self.auc.set_data([0, 1], [state.auc] * 2)
        self.now.set_xdata([state.share, state.share])
        values = {"accuracy": state.accuracy, "balanced acc.": state.balanced}
        values |= {"AUC": state.auc, "precision": state.precision}
        self.dots.set_data([state.share] * 4, list(values.values()))
        for text, (name, value) in zip(self.readouts, values.items(), strict=True):
            text.set_text(f"{name} {value:.2f}")

    def describe(self, state):
        return (
            f"In a field with {state.share:.0%} virginica, said for a sepal of at least {state.t:.1f} cm "
            f"(TPR {state.tpr:.2f}, TNR {state.tnr:.2f}): accuracy {state.accuracy:.2f}, balanced accuracy "
            f"{state.balanced:.2f}, AUC {state.auc:.2f}, precision {state.precision:.2f}. Never to say virginica would "
            f"have an accuracy of {1 - state.share:.2f}."
        )

    @invariant("balanced accuracy and AUC do not move with the share", along="share")
    def _still(self, before, after):
        return np.isclose(before.balanced, after.balanced) and np.isclose(before.auc, after.auc)

    @invariant("counting gives the accuracy of (8.9)")
    def _weighted(self, state):
        return np.isclose(state.accuracy, validation.accuracy(state.tpr, state.tnr, state.share))

    @invariant("precision never falls as the positives become more common", along="share")
    def _precision(self, before, after):
        return after.precision >= before.precision - 1e-12
