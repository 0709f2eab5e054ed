"""Whether two values are the same data.

Decimal numbers may differ by `Tolerance.decimals`, relative or absolute, at any depth, and not-a-number equals itself;
everything else is compared as Python compares it.
"""

import collections
import decimal
import fractions


class Tolerance:
    """What decimal numbers may differ by; the checking program sets it."""

    decimals = 0.0


NUMBERS = (int, float, complex, decimal.Decimal, fractions.Fraction)


def both(kind, a, b):
    return isinstance(a, kind) and isinstance(b, kind)


def is_array(value):
    return hasattr(type(value), "tolist")


def listed(value):
    return value.tolist() if is_array(value) else value


def is_whole(number):
    if isinstance(number, decimal.Decimal):
        return number.is_finite() and number == number.to_integral_value()
    return isinstance(number, int) or isinstance(number, fractions.Fraction) and number.denominator == 1


def near(a, b):
    if a == b:
        return True
    if not isinstance(a, (float, complex)) and not isinstance(b, (float, complex)):
        return False
    if a != a or b != b:
        return a != a and b != b
    try:
        difference, size = abs(complex(a) - complex(b)), abs(complex(b))
    except OverflowError:
        return False
    # A whole number is exact: a decimal is equal to it but for the rounding of a few operations.
    if is_whole(a) or is_whole(b):
        other = b if is_whole(a) else a
        if isinstance(other, float) and other.is_integer():
            return False
        return difference <= min(1e-6, 1e-12 * max(1, size))
    # Everything is within a share of infinity.
    return size != float("inf") and difference <= Tolerance.decimals * max(1, size)


# Pairs that are known to be equal or are being compared: shared parts are compared once.
SEEN = {}


def equal(a, b):
    """Compares a whole value with another one."""
    SEEN.clear()
    return same(a, b)


def same(a, b):
    a, b = listed(a), listed(b)
    if both(NUMBERS, a, b):
        return near(a, b)
    if not any(both(kind, a, b) for kind in (list, tuple, dict, collections.deque)):
        return bool(a == b)
    pair = id(a), id(b)
    if pair not in SEEN:
        SEEN[pair] = a, b
        if not same_parts(a, b):
            del SEEN[pair]
            return False
    return True


def same_parts(a, b):
    if both(collections.Counter, a, b):
        return a == b
    if len(a) != len(b):
        return False
    if not both(dict, a, b):
        return all(map(same, a, b))
    if both(collections.OrderedDict, a, b) and list(a) != list(b):
        return False
    return all(key in b and same(a[key], b[key]) for key in a)


def equal_parts(a, b):
    """Compares as `==` inside an expression does: arrays item by item."""
    return a == b if is_array(a) or is_array(b) else equal(a, b)
