package vector

// Probes are the questions that every keeper has turned into vectors.
var Probes = probes
