"""Drako: one dragon against three dwarves. The rules, clause by clause, are in RULES.md beside this file."""
