"""What a teacher makes of the lessons: plans of views, questions of their own, and the stage of a lecture."""
