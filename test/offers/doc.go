// Package offers looks from outside at how the real program makes offers and tells of accepted
// ones: the four intakes of `frontdesk demo`, and a front desk whose business is a process of its
// own that fails, stalls and lies.
package offers
