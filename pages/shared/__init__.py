"""What the lessons share: charts (Altair, no Streamlit) and furniture (Streamlit, no Altair)."""
