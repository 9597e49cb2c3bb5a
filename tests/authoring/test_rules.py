"""Every rule of the house can be broken, and says so with the file and the line."""

from __future__ import annotations

import pytest

from mlcore.authoring import rules
from mlcore.engine.errors import Problem
from tests.authoring.planted import FILES, PLACES

LIST = "    exercises=[made_steps, made_slip, made_choice, made_value, made_text],\n)\n"
MISSING = None  # in the place of a change: the file is not there

# The rule, the file, what is changed in it, and how the line that is told begins (or its number) and goes on.
PLANTED = [
    *(
        (
            rules.one_slug_in_every_room,
            room,
            MISSING,
            ("exercises", "topic = "),
            f"{PLACES[room]} is missing: the {room} of made_up",
        )
        for room in FILES
        if room != "exercises"  # without it there is no topic
    ),
    (
        rules.mathematics_imports_numpy_only,
        "mathematics",
        ("import functools\n", "import functools\nimport scipy.linalg\n"),
        ("mathematics", "import scipy.linalg"),
        "the mathematics imports scipy.linalg: numpy and mlcore.numerics are all it may",
    ),
    (
        rules.mathematics_imports_numpy_only,
        "mathematics",
        ("import functools\n", "def late():\n    from mlcore import ridge\n"),
        ("mathematics", "from mlcore import ridge"),
        "the mathematics imports mlcore.ridge: numpy and mlcore.numerics are all it may",
    ),
    (
        rules.mathematics_imports_numpy_only,
        "mathematics",
        ("import functools\n", "from mlcore import numerics_of_ours\n"),
        ("mathematics", "from mlcore import numerics_of_ours"),
        "the mathematics imports mlcore.numerics_of_ours: numpy and mlcore.numerics are all it may",
    ),
    (
        rules.exercises_and_figures_do_not_know_each_other,
        "exercises",
        ("def _cases(rng):\n", "def _cases(rng):\n    import mlcore.explore.ridge\n"),
        ("exercises", "import mlcore.explore.ridge"),
        "the exercises import mlcore.explore.ridge",
    ),
    (
        rules.exercises_and_figures_do_not_know_each_other,
        "figures",
        ("import matplotlib\n", "from mlcore.checks import ridge\n"),
        ("figures", "from mlcore.checks import ridge"),
        "the figures import mlcore.checks.ridge",
    ),
    (
        rules.every_equation_is_numbered_and_in_the_notebook,
        "mathematics",
        ("(99.1)  f(x) = x²\n(99.2)  g(x) = x³\n", "f(x) = x²\n"),
        ("mathematics", '"""Squares.'),
        "the module numbers no equation: (99.1) begins the line of the first",
    ),
    (
        rules.every_equation_is_numbered_and_in_the_notebook,
        "notebook",
        ("see (99.2)", "see (99.20)"),
        ("mathematics", "(99.2)"),
        "equation (99.2) is not in solutions/99_made_up.py",
    ),
    (
        rules.every_equation_is_numbered_and_in_the_notebook,
        "mathematics",
        ("(99.1)  f(x) = x²\n(99.2)  g(x) = x³\n", "(99.2)  g(x) = x³\n(99.1)  f(x) = x²\n"),
        ("mathematics", "(99.1)"),
        "equation (99.1) comes after (99.2)",
    ),
    (
        rules.a_quotation_breaks_no_formula,
        "notebook",
        ("# > A formula, $x^2$,", "# > A formula, $x^2,"),
        ("notebook", "# > A formula"),
        "a formula breaks over two lines of a quotation",
    ),
    (
        rules.a_percentage_has_no_space,
        "notebook",
        ("50% of it", "50 % of it"),
        ("notebook", "# > nowhere"),
        "a percentage is written 83%, with no space before the sign",
    ),
    (
        rules.every_exercise_is_well_catalogued,
        "exercises",
        ('"No square!"', '"Is it a square?"'),
        ("exercises", "made_slip = "),
        "made_slip has 2 of at least 3 mistakes, each with a sentence of its own",
    ),
    (
        rules.every_exercise_is_well_catalogued,
        "exercises",
        ("    alternatives=[Alternative(lambda x: (1 + x, -1 + x))],\n", ""),
        ("exercises", "made_steps = "),
        "made_steps has no alternative: another right answer must pass, too",
    ),
    (
        rules.every_exercise_is_well_catalogued,
        "exercises",
        ('    hints=(Hint("How?", "So."),),\n    see="The third', '    see="The third'),
        ("exercises", "made_slip = "),
        "made_slip has no hint",
    ),
    (
        rules.every_exercise_is_well_catalogued,
        "exercises",
        ('    see="The fifth paragraph.",\n', ""),
        ("exercises", "made_value: Value = "),
        "made_value does not say in `see` where the text derives it",
    ),
    (
        rules.every_exercise_is_well_catalogued,
        "exercises",
        ("Both are x.", "both are x"),
        ("exercises", 'Mistake("both are x"'),
        "not a sentence: 'both are x'",
    ),
    (
        rules.every_exercise_is_well_catalogued,
        "exercises",
        ("That is none.", "none"),
        ("exercises", '"ii": Option('),
        "not a sentence: 'none'",
    ),
    (
        rules.a_number_is_that_of_one_topic,
        "exercises",
        ("    number=99,\n", "    number=5,\n"),
        ("exercises", "topic = "),
        "the number 5 is that of ridge, too: 30 is free",
    ),
    (
        rules.names_are_unique_over_the_course,
        "exercises",
        (
            'made_text = Explanation("made_text"',
            'two_halves = Explanation("two_halves"',
            LIST,
            LIST.replace("made_text", "two_halves"),
        ),
        ("exercises", "two_halves = "),
        "ridge has an exercise two_halves already",
    ),
    *(
        (
            rules.a_topic_has_a_derivation_a_slip_and_an_explanation,
            "exercises",
            (LIST, LIST.replace(name, "").replace("[, ", "[").replace(", ,", ",") + f"del {name}\n"),
            ("exercises", "topic = "),
            f"made_up has no {kind}",
        )
        for name, kind in (("made_steps", "derivation"), ("made_slip", "slip"), ("made_text", "explanation"))
    ),
    (
        rules.what_comes_before_is_before,
        "exercises",
        ('{"ridge": "squares"}', '{"ridge": "squares", "rigde": "cubes"}'),
        ("exercises", "topic = "),
        "`before` names 'rigde', which is no topic",
    ),
    (
        rules.it_gives_the_glossary_a_symbol,
        "notebook",
        ("# %% symbols Data [markdown]", "# %% [markdown]"),
        ("notebook", "# %% title"),
        "no `# %% symbols SECTION [markdown]`: a notebook names its new symbols",
    ),
]


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_a_sound_topic_breaks_no_rule(rule, plot):
    assert plot.told(rule) == []


@pytest.mark.parametrize(("rule", "room", "change", "at", "says"), PLANTED)
def test_a_planted_fault_is_told_once_and_where_it_is(rule, room, change, at, says, plot):
    if change is MISSING:
        plot.remove(room)
    else:
        plot.damage(room, *change)
    assert plot.told(rule) == [f"{plot.at(*at)}: {says}"]


def test_every_rule_has_a_planted_fault():
    assert {rule for rule, *_ in PLANTED} == set(rules.RULES)


def test_a_file_that_cannot_be_read_does_not_hide_the_other_rules(plot, monkeypatch):
    plot.damage("figures", "import matplotlib\n", "import matplotlib as\n")
    plot.damage("notebook", "50% of it", "50 % of it")
    monkeypatch.setattr(rules.places, "root", lambda: plot.root)
    assert list(rules.broken(plot.topic())) == [
        f"{plot.at('figures', 'import matplotlib as')}: SyntaxError: invalid syntax",
        f"{plot.at('notebook', '# > nowhere')}: a percentage is written 83%, with no space before the sign",
    ]


def test_what_is_missing_breaks_no_other_rule(plot):
    for room in FILES:
        if room != "exercises":
            plot.remove(room)
    told = {rule.__name__: plot.told(rule) for rule in rules.RULES}
    assert len(told.pop("one_slug_in_every_room")) == len(FILES) - 1
    assert [line for lines in told.values() for line in lines] == []


class TestTopicsThatCannotBeLoaded:
    """One line, with the file and the line, for each."""

    @pytest.mark.parametrize(
        ("old", "new", "at", "says"),
        [
            (
                'asks="Why?", points=1',
                'asks="Why?" points=1',
                "made_text = ",
                "SyntaxError: invalid syntax. P",
            ),
            ("def _cases(rng):\n", "exit()\n\n\ndef _cases(rng):\n", "exit()", "SystemExit: the file ends Python"),
            ("def _cases(rng):\n", "1 / 0\n\n\ndef _cases(rng):\n", "1 / 0", "ZeroDivisionError: division by zero"),
            (
                "def _cases(rng):\n",
                "from mlcore import no_such\n\n\ndef _cases(rng):\n",
                "from mlcore import no_such",
                "ImportError: cannot import name 'no_such' from 'mlcore'",
            ),
            (
                "points=2,",
                "points=3,",
                "made_slip = ",
                "ValueError: a slip has two halves: points must be even, got 3",
            ),
            (
                'Explanation("made_text"',
                'Explanation("mad_text"',
                "made_text = ",
                "the exercise made_text is called 'mad_text': let both be one",
            ),
            (
                "made_value, made_text]",
                "made_value]",
                "made_text = ",
                "made_text is not in the topic's list of exercises",
            ),
            (
                "made_value, made_text]",
                'made_value, made_text, Value("inline", asks="?", points=1, reference=3)]',
                "topic = ",
                "the exercise inline of the list has no variable of its name",
            ),
            (
                "made_value, made_text]",
                "made_value, made_text, made_text]",
                "topic = ",
                "ValueError: made_text is in the list of exercises twice, or in two topics",
            ),
            (
                "made_value, made_text]",
                'made_value, made_text, Value("made_text", asks="?", points=1, reference=3)]',
                "topic = ",
                "ValueError: two exercises are called made_text",
            ),
            ('slug="made_up"', 'slug="made_down"', "topic = ", "the topic's slug is 'made_down', the file's 'made_up'"),
            ("topic = Topic(", "theme = Topic(", '"""The exercises', "NameError: name 'topic' is not defined"),
            ("check = Checks(topic)\n", "topic = None\n", '"""The exercises', "there is no `topic = Topic(...)`"),
        ],
    )
    def test_is_told_in_one_line(self, old, new, at, says, plot):
        plot.damage("exercises", old, new)
        with pytest.raises(Problem) as problem:
            plot.topic()
        line = plot.at("exercises", "check = " if "NameError" in says else at)
        assert str(problem.value).startswith(f"{line}: {says}")
        assert "\n" not in str(problem.value)
