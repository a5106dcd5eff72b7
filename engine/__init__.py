"""The rules server: kernel, titles, store, runtime, network."""
