package i18n

// NotSaid is a condition of which the items that were found do not say whether they meet it.
var NotSaid = in("not_said", "%s (not stated by these)", "%s (hier nicht angegeben)", "%s (non précisé ici)", "%s (no se indica aquí)", "%s (não indicado aqui)", "%s（記載なし）")
