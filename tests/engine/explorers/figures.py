"""A sound explorer, of which the tests make others."""

from types import SimpleNamespace

from mlcore.engine.explorers import Explorer, Pick, Slider, invariant


class Sound(Explorer):
    """A point on a line."""

    height = 120
    slope = Slider("a", "slope", 0.0, 2.0, 1.0)
    sign = Pick("", "sign", ("up", "down"))

    def compute(self, slope, sign):
        return SimpleNamespace(slope=slope, sign=sign, y=slope if sign == "up" else -slope)

    def draw(self, figure):
        self.axes = figure.subplots()
        self.axes.set_xlim(0, 1)
        self.axes.set_ylim(-2.2, 2.2)
        self.line = self.moving(self.axes.plot([], [])[0])

    def update(self, state):
        self.line.set_data([0, 1], [0, state.y])

    def describe(self, state):
        return f"The line from 0 goes {state.sign} with a slope of {state.slope:.2f}: it ends at {state.y:.2f}."

    @invariant("the end is as far from 0 as the slope says")
    def _far(self, state):
        return abs(state.y) == state.slope

    @invariant("a steeper line ends farther out", along="slope")
    def _farther(self, before, after):
        return abs(after.y) > abs(before.y)


class _Base(Sound):
    """For others: no figure of its own."""


class Small(_Base):
    height = 80
