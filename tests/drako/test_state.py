"""The state record."""

from drako_env.drako.state import STATE


def test_a_record_has_no_gaps_between_its_fields():
    """Else copies of equal positions could differ in bytes that no field owns."""
    assert sum(field[0].itemsize for field in STATE.fields.values()) == STATE.itemsize
