"""What the end-to-end tests are made of: a terminal to run programs in, and the program under test."""
