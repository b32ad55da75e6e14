package i18n

// NotSaid is a condition of which the items that were found do not say whether they meet it.
var NotSaid = in("not_said")
