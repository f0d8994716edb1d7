"""Regions cost what is touched, and the default limit is something that exists."""

import ctypes
import os

import pytest
from ackproof.model.kernel.memory import HUGE_PAGE, OutOfAddresses, Region, default_limit


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_region_is_zero_and_can_be_written_from_end_to_end() -> None:
    with Region(5 * HUGE_PAGE) as region:
        for offset in (0, HUGE_PAGE - 8, HUGE_PAGE, region.size - 8):
            word = ctypes.c_uint64.from_address(region.address + offset)
            assert word.value == 0
            word.value = offset + 1
            assert word.value == offset + 1


def test_a_region_is_paid_for_as_it_is_touched() -> None:
    before = resident()
    with Region(64 << 30) as region:
        assert region.size == 64 << 30
        assert resident() - before < 4 << 20
        ctypes.memset(region.address, 1, 16 << 20)
        assert resident() - before > 15 << 20
    assert resident() - before < 4 << 20


def test_sizes_are_rounded_up_to_huge_pages() -> None:
    with Region(1) as region:
        assert region.size == HUGE_PAGE


def test_addresses_that_do_not_exist_are_refused_with_what_to_do() -> None:
    with pytest.raises(OutOfAddresses, match=r"cannot reserve .* smaller memory limit"):
        Region(1 << 62)


def test_the_default_limit_leaves_something_to_the_machine() -> None:
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < default_limit() < physical
