"""Advice: what helps against one finding, chosen by the cause of its clash.

`advice_on` tries the kinds of causes in turn, the most particular first. Where it finds none, reports show what the
catalogue says about the law.
"""
