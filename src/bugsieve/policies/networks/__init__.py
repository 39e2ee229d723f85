"""Feed-forward networks in files: readers of the usual formats, a writer of safetensors."""

from bugsieve.policies.networks.network import ACTIVATIONS, Network, Normalisation
from bugsieve.policies.networks.reading import read_network
from bugsieve.policies.networks.safetensors import write_safetensors

__all__ = ["ACTIVATIONS", "Network", "Normalisation", "read_network", "write_safetensors"]
