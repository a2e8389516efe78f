"""How things look: words, numbers and small pictures as HTML, colours and the style sheet."""
