package server

import "time"

// RAMPEvidence sets what is kept of logs of deliveries.
type RAMPEvidence struct {
	// Keep is how long a line of an imported log is kept, by the time that it tells. Disputes are decided by what is still there.
	Keep time.Duration `yaml:"keep"`
}

func defaultRAMPEvidence() RAMPEvidence { return RAMPEvidence{Keep: 400 * 24 * time.Hour} }

// rampEvidence checks the section ramp.evidence.
func (c *checks) rampEvidence() {
	between(c, "ramp.evidence.keep", c.Config.RAMP.Evidence.Keep, 24*time.Hour, 10*365*24*time.Hour)
}
