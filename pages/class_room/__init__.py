"""A class that answers: questions are sent and not revealed, and a teacher sees how everybody answered."""
