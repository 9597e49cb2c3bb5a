"""The course as a whole: which topics there are, the map, the notebooks and what a student does with them."""
