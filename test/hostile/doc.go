// Package hostile sends the built frontdesk what nobody well-meaning sends: bodies without end,
// clients that dribble or vanish, nesting, bombs, garbage. Each must get a clear error or a closed
// connection, and afterwards the process must be as healthy as before: it answers, its memory is
// bounded, and nothing of the attack is left running.
package hostile
