"""What a link says: pages, their controls, plans."""
