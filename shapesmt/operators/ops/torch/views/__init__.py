"""Operators that view a tensor's memory with other sizes or strides, or return a copy of such a view."""
