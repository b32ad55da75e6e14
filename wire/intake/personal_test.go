package intake_test

import (
	"strings"
	"testing"

	"frontdesk/wire/intake"
)

func TestNamesOfPersonalData(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"email", "Email", "e-mail", "e_mail", "EMAIL", "userEmail", "email_2", "email2", "contact_email", "workMail",
		"full_name", "fullName", "Full Name", "first-name", "lastName", "surname",
		"phone", "phone_number", "mobilePhone", "telephone", "address", "street_address", "home.address", "iban",
		"IBAN", "ssn", "social_security_number", "passport", "birth_date", "birthDate",
		"date_of_birth", "dob", "credit_card_number", "name", "/contact/email", "/items/0/phone", "/person/name",
		"Telefonnummer", "telefon_privat", "Vorname", "Nachname", "Straße", "hausnummer", "Geburtsdatum",
		"E-Mail-Adresse", "Anschrift",
		"prénom", "nom_de_famille", "téléphone", "courriel", "date_de_naissance", "numéro de téléphone",
		"correo_electrónico", "teléfono", "apellidos", "dirección", "fecha_de_nacimiento", "nombre",
		"nome_completo", "sobrenome", "telefone", "endereço", "data de nascimento", "CPF",
		"メールアドレス", "電話番号", "氏名", "住所", "生年月日",
	} {
		if !intake.Personal(name) {
			t.Errorf("%s is not personal", name)
		}
	}
	for _, name := range []string{
		"age_range", "sex", "primary_concern", "mailing_list", "budget", "city", "postal_code", "trade", "plan",
		"team_size", "company_name", "product_name", "weight_kg", "height_m",
		"cellar", "telemetry", "nominal", "addressable", "phonetics", "streetlight", "birthplace_country", "namespace",
		"", "/", "a/b", "country", "notes", "locale", "altersgruppe", "産業",
	} {
		if intake.Personal(name) {
			t.Errorf("%s is personal", name)
		}
	}
}

func TestTextsWithPersonalData(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"jane@example.com", "write to jane.doe+x@mail.example.co.uk, please", "<jane@example.com>",
		"jürgen@bücher.example",
		"+43 1 58058 0", "+1 (512) 555-0123", "+15125550123", "call +44-20-7946-0958!", "(512) 555-0123",
		"512-555-0123", "512.555.0123", "0664 1234567", "0664/123 45 67", "(01) 58 05 80 12", "01 23 45 67 89",
		"0043 1 5805801",
	} {
		if !intake.PersonalText(text) {
			t.Errorf("%q is not personal", text)
		}
	}
	for _, text := range []string{
		"", "hello", "a@b", "@example", "2026-11-22", "2026-11-22T10:00:00Z", "22.11.2026", "10:30", "1,234,567.89",
		"12345678901234567890", "7f2c1f3e-90b1-4c55-8d0c-3e6f0a1d2b4c",
		"30-39", "$1,200 - $1,500", "1.2.3-4", "192.168.100.200", "ISBN 978-3-16-148410-0", "50000 60000", "01/02/2026",
		"3.14159265358979", "+5", "+10 %", "0.25", "007", "2 x 4 m", "90210-1234", "fe80::1",
		"follow us @example on the web.",
		"0000-00-00", "1999 - 2004", "100 200 300", "A+1 234",
	} {
		if intake.PersonalText(text) {
			t.Errorf("%q is personal", text)
		}
	}
	if !intake.PersonalText(strings.Repeat("x ", 30000) + "a@example.com") {
		t.Error("a long text hides an address")
	}
}
