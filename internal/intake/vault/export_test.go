package vault

// SetFault has a step of a vault fail, by its name.
func (v *Vault) SetFault(fault func(step string) error) { v.fault = fault }

// Batch is how many keys are made at once.
const Batch = batch
