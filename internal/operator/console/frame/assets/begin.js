// The code of a link stands in the fragment of the address, which browsers send to nobody. It goes into
// the form, and out of the address and with it out of the history.
const code = document.getElementById("code");
const given = location.hash.slice(1);
if (code && given) {
  history.replaceState(null, "", location.pathname);
  code.value = given;
  code.form.requestSubmit();
}
const zone = document.getElementById("zone");
if (zone && zone.value === "UTC") zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
