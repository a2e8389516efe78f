"""Questions, their answers, and what the browser keeps of them."""
