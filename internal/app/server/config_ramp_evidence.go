package server

import "time"

// RAMPEvidence sets what is kept of logs of deliveries.
type RAMPEvidence struct {
	// Keep is how long a line of an imported log is kept, by the time that it tells. Disputes are decided by what is still there.
	Keep time.Duration `yaml:"keep" check:"24h..87600h"`
}

func defaultRAMPEvidence() RAMPEvidence { return RAMPEvidence{Keep: 400 * 24 * time.Hour} }
