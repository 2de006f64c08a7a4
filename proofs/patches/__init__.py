"""Expansions on request: geodesics of Monge patches to any order, on surfaces of the catalogue or typed graphs."""
