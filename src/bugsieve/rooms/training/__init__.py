"""Training of networks that act in models; needs PyTorch, imported only when used."""
