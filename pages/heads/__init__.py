"""What lessons show of attention heads: their matrices, and maps side by side."""
