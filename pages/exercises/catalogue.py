"""All exercises and tasks, by their ids and by the lessons at whose ends they stand."""

from pages.exercises.exercise import Exercise
from pages.exercises.lessons import causal_mask, multi_head, positional_encoding, qkv, scaling, tiny_lm
from pages.exercises.tasks import TASK_POINTS, Task

LESSONS = (qkv, scaling, multi_head, causal_mask, positional_encoding, tiny_lm)
EXERCISES: dict[str, Exercise] = {exercise.id: exercise for lesson in LESSONS for exercise in lesson.EXERCISES}
TASKS: tuple[Task, ...] = tuple(task for lesson in LESSONS for task in lesson.TASKS)
POINTS = {exercise.id: exercise.points for exercise in EXERCISES.values()} | dict.fromkeys(
    (task.id for task in TASKS), TASK_POINTS
)


def exercise(name: str) -> Exercise:
    if name not in EXERCISES:
        raise ValueError(f"no exercise {name!r}; there are {', '.join(EXERCISES)}")
    return EXERCISES[name]


def exercises_of(lesson: str) -> tuple[Exercise, ...]:
    return tuple(exercise for exercise in EXERCISES.values() if exercise.lesson == lesson)


def tasks_of(lesson: str) -> tuple[Task, ...]:
    """Return the tasks of a lesson: predict, then choose, then order."""
    return tuple(task for task in TASKS if exercise(task.exercise).lesson == lesson)
