"""Measurements, interventions and deliberate mistakes for the lessons; no other package needs them."""
