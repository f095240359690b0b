"""How much of a stopped search's prices the next pass of its certificate asks for."""

import itertools

import pytest

from optitree.certificate.prove import _FIRST_SHARE, _next_share


@pytest.mark.parametrize("most", [0.9, 0.96])
@pytest.mark.parametrize("power", [3.0, 5.3, 9.0])
def test_passes_rise_to_what_there_is_time_for(most, power):
    """With passes that take what their power says, all are completed, and the last takes a fair part of the time."""
    for time in (3.0, 30.0, 300.0, 3e6):
        left, share, took = time, _FIRST_SHARE, 1.0
        for _ in itertools.count():
            left -= took
            following = _next_share(share, most, power, left / took)
            if following is None:
                break
            assert following > share
            took, share = took * (following / share) ** power, following
            assert took <= left
        assert share >= most or took > 0.05 * time


def test_all_is_asked_for_only_where_that_is_quick():
    assert _next_share(0.96, 0.96, 6.0, 11.0) == 1.0
    assert _next_share(0.96, 0.96, 6.0, 9.0) is None
    assert _next_share(1.0, 0.96, 6.0, 1000.0) is None
    assert _next_share(0.5, 0.5, 6.0, 1000.0) is None  # of the cost of a tree
