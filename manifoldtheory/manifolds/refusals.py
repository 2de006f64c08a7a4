"""The geomstats spaces that are not converted, and why."""

_FLAT = "it is flat, an open part of a linear space, where every second fundamental form is 0"
_COMPLEX = "it is a flat space of complex matrices, and manifolds here are real submanifolds that bend"
_HYPERBOLIC = "its metric is hyperbolic, not that of the surrounding space"
_ALGEBRA = "it is a Lie algebra, a linear space, where every second fundamental form is 0"
_STRATIFIED = "it is stratified: pieces of several dimensions, no manifold"
_ABSTRACT = "it is an abstract base class that says nothing of how it lies in a Euclidean space; "
_GIVE = "give from_immersion a parameterisation of it"

REFUSED: dict[str, str] = {
    # Flat
    "Euclidean": _FLAT,
    "Matrices": _FLAT,
    "SquareMatrices": _ALGEBRA,
    "SymmetricMatrices": _FLAT,
    "SymmetricHollowMatrices": _FLAT,
    "NullRowSumsSymmetricMatrices": _FLAT,
    "SkewSymmetricMatrices": _ALGEBRA,
    "LowerTriangularMatrices": _FLAT,
    "StrictlyLowerTriangularMatrices": _FLAT,
    "PLTUnitDiagMatrices": _FLAT,
    "FullRankMatrices": _FLAT,
    "GeneralLinear": _FLAT,
    "SpecialEuclideanMatricesLieAlgebra": _ALGEBRA,
    "KleinBottle": "its metric is flat, on a square with edges glued: geomstats has no immersion of it",
    # Complex
    "ComplexMatrices": _COMPLEX,
    "Hermitian": _COMPLEX,
    "HermitianMatrices": _COMPLEX,
    "HPDMatrices": "its metrics (affine-invariant, log-Euclidean, Bures-Wasserstein) are not the Euclidean one",
    "Siegel": "its metric generalises the hyperbolic one, it is not that of the surrounding space",
    "ComplexPoincareDisk": _HYPERBOLIC,
    # Hyperbolic and other metrics of their own
    "Hyperboloid": "it is isometric in Minkowski space, not in a Euclidean one",
    "Minkowski": "its metric is indefinite, not Euclidean",
    "PoincareBall": _HYPERBOLIC,
    "PoincareHalfSpace": _HYPERBOLIC,
    "PoincarePolydisk": _HYPERBOLIC,
    "OpenHemisphere": "its metric is pulled back from a hyperboloid; for that of the sphere take Hypersphere",
    "OpenHemispheresProduct": "its metric is pulled back from hyperboloids; take a ProductManifold of Hyperspheres",
    "ProductHPDMatricesAndSiegelDisks": "the metrics of its factors are not Euclidean ones",
    "ProductPositiveRealsAndComplexPoincareDisks": "the metrics of its factors are not Euclidean ones",
    "PositiveReals": "its metric is logarithmic, not that of the line",
    "PositiveLowerTriangularMatrices": "its Cholesky metric is not that of the surrounding space of matrices",
    "UnitNormedRowsPLTMatrices": "its metric is pulled back from hyperboloids",
    "SPDMatrices": "its metrics (affine-invariant, log-Euclidean, Bures-Wasserstein) are not the Euclidean one",
    "FullRankCorrelationMatrices": "its quotient metric is not the Euclidean one",
    "TangentBundle": "its Sasaki metric is not induced by a Euclidean space",
    "HeisenbergVectors": "its left-invariant metric is not that of R³",
    "_SpecialOrthogonalVectors": "its points are rotation vectors; take SpecialOrthogonal(n, point_type='matrix')",
    "_SpecialEuclideanVectors": "its points are rotation vectors; take SpecialEuclidean(n, point_type='matrix')",
    "DiscreteCurvesStartingAtOrigin": "its metrics are elastic ones on curves",
    "DiscreteSurfaces": "its elastic metric is not that of the vertices' coordinates",
    "HilbertSphere": "it has infinitely many dimensions; take the Hypersphere of the values on the grid",
    # No manifolds
    "GraphSpace": "its points are graphs up to a renumbering of their nodes, a quotient and no submanifold",
    "TreeSpace": _STRATIFIED,
    "Spider": _STRATIFIED,
    "WaldSpace": _STRATIFIED,
    "MyManifold": "it is geomstats' template for new manifolds, without a metric",
    # Base classes, for classes of one's own
    "MatrixLieAlgebra": _ALGEBRA,
    "MatrixVectorSpace": _FLAT,
    "VectorSpace": _FLAT,
    "ComplexMatrixVectorSpace": _COMPLEX,
    "ComplexVectorSpace": _COMPLEX,
    "ComplexVectorSpaceOpenSet": _COMPLEX,
    "ComplexManifold": _COMPLEX,
    "VectorSpaceOpenSet": _FLAT,
    "MatrixLieGroup": _ABSTRACT + _GIVE,
    "LieGroup": _ABSTRACT + _GIVE,
    "LevelSet": "it is a level set of its own, and only its parameterisations can be served: " + _GIVE,
    "OpenSet": _ABSTRACT + _GIVE,
    "DiffeomorphicVectorSpace": _FLAT,
    "DiffeomorphicMatrixVectorSpace": _FLAT,
    "DiffeomorphicManifold": _ABSTRACT + _GIVE,
    "PointSet": _STRATIFIED,
    "Manifold": _ABSTRACT + _GIVE,
}
"""Every class of spaces in geomstats 2.8 that `from_geomstats` does not convert."""
