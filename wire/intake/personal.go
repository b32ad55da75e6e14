package intake

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// personalNames are what members are called that hold what is somebody's: contact, name, place,
// account, papers, birth. Each is a phrase of words that a name may have side by side, so that
// "mail" is in "work_mail" and not in "mailing_list". They are English, German, French, Spanish,
// Portuguese and Japanese, without accents.
var personalNames = []string{
	"email", "e mail", "mail", "mail address", "mailadresse", "courriel", "adresse electronique", "correo",
	"correo electronico", "correio eletronico", "endereco eletronico",
	"phone", "phone number", "phonenumber", "telephone", "tel", "mobile", "mobile number", "cell", "cellphone",
	"whatsapp", "fax", "telefon", "telefonnummer", "handy",
	"handynummer", "mobilnummer", "portable", "numero de telephone", "telefono", "movil", "telefone", "celular",
	"telemovel",
	"full name", "fullname", "first name", "firstname", "last name", "lastname", "surname", "family name", "given name",
	"middle name", "maiden name", "user name", "username",
	"customer name", "patient name", "client name", "vorname", "nachname", "familienname", "vollstaendiger name",
	"prenom", "nom", "nom de famille", "nombre", "apellido",
	"apellidos", "nombre completo", "nome", "nome completo", "sobrenome", "apelido",
	"address", "street", "street address", "home address", "postal address", "house number", "adresse", "anschrift",
	"strasse", "hausnummer", "rue", "direccion", "calle",
	"domicilio", "endereco", "morada", "rua",
	"iban", "bic", "bank account", "account number", "kontonummer", "credit card", "card number", "cardnumber", "cvv",
	"cvc", "kreditkarte", "kreditkartennummer",
	"carte bancaire", "numero de carte", "tarjeta", "cartao",
	"ssn", "social security", "social security number", "national id", "passport", "passport number", "tax id",
	"driver license", "drivers license", "drivers licence",
	"sozialversicherungsnummer", "svnr", "personalausweis", "ausweisnummer", "reisepass", "steuernummer",
	"numero de securite sociale", "passeport", "dni", "nie", "nif",
	"pasaporte", "cpf", "rg", "passaporte",
	"birth date", "birthdate", "birth day", "birthday", "date of birth", "dateofbirth", "dob", "geburtsdatum",
	"geburtstag", "date de naissance", "fecha de nacimiento",
	"data de nascimento",
	"ip address", "ipaddress",
}

// personalWhole are what is personal only as a whole name: they are parts of names of everything.
var personalWhole = []string{"name", "contact", "kontakt", "signature", "unterschrift"}

// personalParts are in names that do not part their words by blanks.
var personalParts = []string{"メール", "電話", "携帯", "氏名", "名前", "苗字", "住所", "番地", "生年月日", "誕生日", "口座", "カード番号", "マイナンバー",
	"旅券", "パスポート"}

// Personal says whether a member's name, or a pointer to it, is one for personal data: of contact,
// identity, account or birth. It errs towards yes.
func Personal(name string) bool {
	words := wordsOf(name)
	joined := " " + strings.Join(words, " ") + " "
	return slices.ContainsFunc(personalNames, func(phrase string) bool {
		return strings.Contains(joined, " "+phrase+" ")
	}) ||
		len(words) > 0 && slices.Contains(personalWhole, words[len(words)-1]) &&
			(len(words) == 1 || strings.HasPrefix(name, "/")) ||
		slices.ContainsFunc(personalParts, func(part string) bool { return strings.Contains(name, part) })
}

// wordsOf are the words of a name, in lower case and without accents, however they are joined:
// full_name, fullName, Full-Name, full_name_2.
func wordsOf(name string) []string {
	var b strings.Builder
	var before rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) || unicode.IsDigit(r) && unicode.IsLetter(before) {
			b.WriteByte(' ')
		}
		b.WriteString(plainLetter(unicode.ToLower(r)))
		before = r
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// plainLetter is a letter without what is above or below it.
func plainLetter(r rune) string {
	switch r {
	case 'ä', 'á', 'à', 'â', 'ã', 'å':
		return "a"
	case 'é', 'è', 'ê', 'ë':
		return "e"
	case 'í', 'ì', 'î', 'ï':
		return "i"
	case 'ö', 'ó', 'ò', 'ô', 'õ':
		return "o"
	case 'ü', 'ú', 'ù', 'û':
		return "u"
	case 'ç':
		return "c"
	case 'ñ':
		return "n"
	case 'ß':
		return "ss"
	}
	return string(r)
}

// PersonalText says whether a text holds an e-mail address or a phone number. Days, times, amounts,
// versions and the usual identifiers are none.
func PersonalText(value string) bool {
	return emailInside.MatchString(value) || phoneInside.MatchString(value) ||
		slices.ContainsFunc(homePhone.FindAllString(value, -1), func(found string) bool {
			return !dayInside.MatchString(found)
		})
}

var (
	emailInside = regexp.MustCompile(`[^\s@<>"'(),;:]+@[^\s@<>"'(),;:.]+(?:\.[^\s@<>"'(),;:.]+)+`)
	// A phone number with a country's number before it, or in the American form.
	phoneInside = regexp.MustCompile(`(?:^|[^\w+])\+\d{1,3}(?:[ .\-/]?\(?\d\)?){6,13}(?:\D|$)` +
		`|(?:^|[^\w.\-+])00[1-9](?:[ .\-/]?\d){8,12}(?:[^\w.\-]|$)` +
		`|(?:^|[^\w.\-+])\(?[2-9]\d{2}\)?[ .\-][2-9]\d{2}[ .\-]\d{4}(?:[^\w.\-]|$)`)
	// One as it is written at home almost everywhere else: it begins with 0, and is parted.
	homePhone = regexp.MustCompile(`(?:^|[^\w.\-+])\(?0[1-9]\d{0,4}\)?[ /\-](?:\d[ \-/]?){4,9}\d(?:[^\w.\-:]|$)`)
	dayInside = regexp.MustCompile(`\b\d\d([/\- ])\d\d[/\- ]\d{4}\b`)
)
