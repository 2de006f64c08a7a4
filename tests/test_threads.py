"""Work on several threads: the results in order, and torch's own threads as they were."""

import threading

import pytest
import torch

from manifoldtheory.threads import on_threads

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_results_are_in_order_and_parts_run_on_one_thread_each():
    parts = [torch.full((3,), float(number)) for number in range(7)]
    results = on_threads(lambda part: (float(part.sum()), torch.get_num_threads()), parts, CPU)
    assert results == [(3.0 * number, 1) for number in range(7)]
    assert torch.get_num_threads() == 2


def test_an_error_comes_through_and_leaves_no_trace():
    with pytest.raises(ZeroDivisionError):
        on_threads(lambda part: 1 / part, [1, 0, 2], CPU)
    assert torch.get_num_threads() == 2
    assert on_threads(lambda part: part + 1, [1, 2], CPU) == [2, 3]


def test_calls_at_the_same_time_leave_the_number_of_threads_alone():
    started, go_on = threading.Event(), threading.Event()

    def wait(part: int) -> int:
        started.set()
        assert go_on.wait(10)
        return part

    first = threading.Thread(target=on_threads, args=(wait, [1, 2], CPU))
    first.start()
    assert started.wait(10)
    assert on_threads(lambda part: part + 1, [1, 2], CPU) == [2, 3]  # one after the other, as the first one runs
    go_on.set()
    first.join()
    assert torch.get_num_threads() == 2


def test_no_parts():
    assert on_threads(lambda part: part, [], CPU) == []
