"""What rules of several families and domains use."""
