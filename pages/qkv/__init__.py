"""What belongs to the lesson on queries, keys and values alone."""
