"""Pictures that move in the browser while a student drags: the server hears where they were let go."""
