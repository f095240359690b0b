"""Certificates: what a search found, written down so that anyone can check it (docs/certificate.md)."""
