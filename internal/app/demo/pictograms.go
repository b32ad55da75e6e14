package demo

// pictograms are the drawings on a field of 200 by 200, in the tones {i} (ink), {p} (pale) and {s}
// (shape). Lines without a fill or stroke of their own take pale and ink from the group around
// them.
var pictograms = map[string]string{
	"bowl": `<path d="M70 62q-12-14 0-28M100 56q-12-14 0-28M130 62q-12-14 0-28" fill="none"/>` +
		`<path d="M22 88h156c0 46-30 78-60 84H82c-30-6-60-38-60-84z"/><path d="M22 88h156q-2 22-10 36H32q-8-14-10-36z" fill="{s}"/><path d="M70 182h60"/>`,
	"pot": `<path d="M76 40q-10-12 0-24M124 40q-10-12 0-24" fill="none"/><path d="M36 80h128v74a20 20 0 0 1-20 20H56a20 20 0 0 1-20-20z"/>` +
		`<path d="M28 62h144v18H28z" fill="{s}"/><path d="M90 62q0-14 10-14t10 14M36 108H18M164 108h18" fill="none"/>`,
	"pan": `<circle cx="84" cy="110" r="66" fill="{i}"/><circle cx="84" cy="110" r="48" fill="{s}"/><path d="M132 62l48-42" stroke-width="18"/>` +
		`<path d="M52 116q6-30 34-26t28 22-22 32-40-28z"/><circle cx="84" cy="114" r="11" fill="{s}"/>`,
	"fish": `<path d="M20 104q42-56 104-40 24 6 38 28l22-24q-6 36 0 72l-22-24q-14 22-38 28-62 16-104-40z"/>` +
		`<path d="M62 74q18 30 0 60" fill="none"/><circle cx="46" cy="96" r="5" fill="{i}" stroke="none"/><path d="M90 84q10 10 0 20M90 108q10 10 0 20M116 84q10 10 0 20M116 108q10 10 0 20" fill="none" stroke="{s}"/>`,
	"shell": `<path d="M100 170C48 160 22 122 26 92q6-30 34-42 18-20 40-20t40 20q28 12 34 42c4 30-22 68-74 78z"/>` +
		`<path d="M100 170V34M100 170L60 52M100 170L140 52M100 170L30 94M100 170L170 94" fill="none" stroke="{s}"/><path d="M78 168h44v14H78z" fill="{s}"/>`,
	"loaf": `<path d="M18 116c0-40 36-66 82-66s82 26 82 66c0 20-10 32-24 36H42c-14-4-24-16-24-36z"/>` +
		`<path d="M58 84l14 26M94 74l14 30M130 80l12 28" stroke="{s}" stroke-width="11" fill="none"/><path d="M30 152h140"/>`,
	"cake": `<path d="M24 84l100-44q44 8 52 44v70H24z"/><path d="M24 84h152v26q-12 14-24 0-14 14-26 0-12 14-26 0-12 14-25 0-13 14-25 0-12 12-26 0z" fill="{s}"/>` +
		`<circle cx="118" cy="44" r="13" fill="{s}"/><path d="M118 31q2-12 14-14M10 166h180" fill="none"/>`,
	"leaf": `<path d="M36 160C16 84 70 28 170 30c4 96-52 154-134 130z"/><path d="M22 180q54-62 104-104M80 122l2-40M104 98l38-2M60 146l-4-36" fill="none"/>` +
		`<path d="M36 160q40-44 90-84" fill="none" stroke="{s}" stroke-width="0"/>`,
	"drumstick": `<path d="M58 116c-14-46 22-90 66-86s64 52 40 84c-20 26-44 26-62 32l-26 8z"/><path d="M70 122c-10-32 8-62 34-66" fill="none" stroke="{s}" stroke-width="9"/>` +
		`<path d="M62 138l-22 18q-18-6-20 8t14 12q0 14 14 10t6-20l24-14z" fill="{s}"/>`,
	"apple": `<path d="M100 66c26-22 74-8 72 38s-38 72-56 66q-16-6-32 0c-18 6-54-20-56-66s46-60 72-38z"/><path d="M100 66q-2-26 18-38" fill="none"/>` +
		`<path d="M112 42q12-24 42-18-8 26-42 18z" fill="{s}"/><path d="M52 96q2-18 18-20" fill="none" stroke="{s}"/>`,
	"cup": `<path d="M36 66h108v62a36 36 0 0 1-36 36H72a36 36 0 0 1-36-36z"/><path d="M144 82h14a22 22 0 0 1 0 44h-14" fill="none"/>` +
		`<path d="M36 66h108v22H36z" fill="{s}"/><path d="M74 46q-10-12 0-24M106 46q-10-12 0-24M22 180h136" fill="none"/>`,
	"teapot": `<path d="M50 82h92q22 84-22 92H72q-44-8-22-92z"/><path d="M48 104q-36-6-32-40l18-2q0 16 16 22" /><path d="M144 92q36-8 34 22t-36 32" fill="none"/>` +
		`<path d="M56 82q8-26 40-26t40 26z" fill="{s}"/><circle cx="96" cy="46" r="9" fill="{s}"/>`,
	"flask": `<path d="M66 66h68v96a16 16 0 0 1-16 16H82a16 16 0 0 1-16-16z"/><path d="M72 36h56v30H72z" fill="{s}"/><path d="M82 22h36v14H82z"/><path d="M66 104h68M66 138h68" stroke="{s}"/>`,
	"knife": `<path d="M28 136L130 34q24 2 32 32L84 142q-26 12-56-6z"/><path d="M84 142l34 36q12 6 20-4t2-20l-26-40z" fill="{s}"/>`,
	"spoon": `<path d="M128 22c34-8 58 18 44 48-8 18-30 26-50 22L52 170q-14 14-26 4t-2-26l74-74q-2-40 30-52z"/><path d="M118 52q8-16 26-14" fill="none" stroke="{s}" stroke-width="9"/>`,
	"mill":  `<circle cx="100" cy="32" r="14" fill="{s}"/><path d="M74 62q0-16 26-16t26 16q0 12-12 18 2 12 12 18H74q10-6 12-18-12-6-12-18z"/><path d="M70 98h60q-8 22 8 76H62q16-54 8-76z" fill="{s}"/><path d="M56 180h88"/>`,
	"board": `<path d="M40 40h96a14 14 0 0 1 14 14v112a14 14 0 0 1-14 14H40a14 14 0 0 1-14-14V54a14 14 0 0 1 14-14z"/><path d="M58 40v140M90 40v140M122 40v140" stroke="{s}"/>` +
		`<path d="M150 92h28v34h-28z" fill="{s}"/>`,
	"tin": `<path d="M30 78v70q0 26 70 26t70-26V78z"/><ellipse cx="100" cy="78" rx="70" ry="26" fill="{s}"/><ellipse cx="100" cy="74" rx="40" ry="13"/><path d="M64 124h72" stroke="{s}"/>`,
	"lantern": `<path d="M66 58q0-34 34-34t34 34" fill="none"/><path d="M58 58h84l10 88H48z"/><path d="M48 146h104v24H48z" fill="{s}"/><path d="M62 58l14-14h48l14 14z" fill="{s}"/>` +
		`<path d="M100 82q24 28 10 46-10 8-20 0-14-18 10-46z" fill="{s}"/>`,
	"candle": `<path d="M100 16q24 28 10 46-10 8-20 0-14-18 10-46z" fill="{s}"/><path d="M100 64v18"/><path d="M72 82h56v74H72z"/><path d="M72 82h56q0 30-10 30t-8-14q-2-8-10 0t-12 4-16-4z" fill="{s}"/><path d="M44 156h112q-4 24-30 24H74q-26 0-30-24z"/>`,
	"jacket": `<path d="M72 34L34 56 18 132l26 8 10-36v76h92v-76l10 36 26-8-16-76-38-22q-28 22-56 0z"/><path d="M100 50v130M72 34q28 34 56 0" fill="none"/>` +
		`<path d="M66 126h22M112 126h22" stroke="{s}" stroke-width="9"/><path d="M72 34q28 34 56 0l10 10q-38 40-76 0z" fill="{s}"/>`,
	"yarn": `<circle cx="92" cy="96" r="64"/><path d="M46 58q50 4 92 84M34 86q44 4 74 70M70 38q46 18 80 74M52 146q16-62 84-88M90 158q4-50 62-74" fill="none" stroke="{s}"/>` +
		`<circle cx="92" cy="96" r="64" fill="none"/><path d="M128 150q16 30 52 22" fill="none"/>`,
	"boot":       `<path d="M58 24h58v84q40 6 58 26 8 10 6 26H58z"/><path d="M58 24h58v22H58z" fill="{s}"/><path d="M52 160h134v18H52z" fill="{s}"/><path d="M116 84H92" />`,
	"bag":        `<path d="M36 74h128l12 104H24z"/><path d="M66 98V60q0-34 34-34t34 34v38" fill="none"/><path d="M28 142h144l4 36H24z" fill="{s}"/>`,
	"paw":        `<path d="M100 96c30 0 58 34 54 56-4 24-34 14-54 14s-50 10-54-14c-4-22 24-56 54-56z"/><ellipse cx="46" cy="88" rx="17" ry="23" fill="{s}"/><ellipse cx="154" cy="88" rx="17" ry="23" fill="{s}"/><ellipse cx="80" cy="48" rx="17" ry="24" fill="{s}"/><ellipse cx="120" cy="48" rx="17" ry="24" fill="{s}"/>`,
	"chair":      `<path d="M30 20l116 162M172 92L44 182" fill="none"/><path d="M34 26C48 112 96 132 168 96l-4-14C104 108 72 84 50 22z" fill="{s}"/><path d="M84 182h92M20 182h44" fill="none"/>`,
	"glass":      `<path d="M46 30h108q2 74-54 84-56-10-54-84z"/><path d="M48 58h104q-8 50-52 56-44-6-52-56z" fill="{s}"/><path d="M100 114v52M64 174h72"/><circle cx="128" cy="30" r="13" fill="{s}"/>`,
	"hook":       `<path d="M76 22h48v68H76z" fill="{s}"/><path d="M100 66v60q0 34-32 34-26 0-26-26M100 126q40 0 44-40" fill="none" stroke-width="14"/><circle cx="100" cy="44" r="7" fill="{i}"/>`,
	"frame":      `<path d="M28 26h144v150H28z" fill="{s}"/><path d="M48 46h104v110H48z"/><path d="M48 140l34-42 26 28 16-18 28 32v16H48z" fill="{s}"/><circle cx="122" cy="76" r="11" fill="{s}"/>`,
	"dial":       `<circle cx="100" cy="100" r="78"/><circle cx="100" cy="100" r="58" fill="{s}"/><path d="M100 100l30-36M100 100l-12 24"/><path d="M100 22v12M100 166v12M22 100h12M166 100h12M45 45l8 8M155 45l-8 8M45 155l8-8M155 155l-8-8"/><circle cx="100" cy="100" r="7" fill="{i}"/>`,
	"pen":        `<path d="M140 24l36 36-96 96-50 14 14-50z"/><path d="M140 24l36 36-20 20-36-36z" fill="{s}"/><path d="M44 120l36 36M30 170l18-18"/>`,
	"book":       `<path d="M100 50Q66 28 22 36v122q44-8 78 14 34-22 78-14V36q-44-8-78 14z"/><path d="M100 50v122"/><path d="M42 64q22-2 38 6M42 92q22-2 38 6M42 120q22-2 38 6M158 64q-22-2-38 6M158 92q-22-2-38 6M158 120q-22-2-38 6" fill="none" stroke="{s}"/>`,
	"page":       `<path d="M44 20h86l30 30v130H44z"/><path d="M130 20v30h30z" fill="{s}"/><path d="M66 76h72M66 100h72M66 124h72M66 148h44" stroke="{s}"/>`,
	"calendar":   `<path d="M28 40h144v136H28z"/><path d="M28 40h144v36H28z" fill="{s}"/><path d="M64 24v30M136 24v30"/><path d="M118 96a34 34 0 1 0 18 60 28 28 0 0 1-18-60z" fill="{s}"/>`,
	"boat":       `<path d="M20 128h160q-10 34-40 40H60q-30-6-40-40z"/><path d="M94 24v104h-62q12-64 62-104z" fill="{s}"/><path d="M106 46q48 26 54 82h-54z"/><path d="M14 184q20-12 40 0t40 0 40 0 46 0" fill="none"/>`,
	"waves":      `<path d="M22 150c0-74 42-118 92-112 34 4 48 30 38 50-8 14-28 12-30-2-30 4-38 38-12 64z" /><path d="M22 150c0-74 42-118 92-112-42 14-58 60-42 112z" fill="{s}"/><path d="M10 152q22-14 45 0t45 0 45 0 45 0M22 178q20-12 40 0t40 0 40 0 40 0" fill="none"/>`,
	"lighthouse": `<path d="M78 66h44l16 112H62z"/><path d="M74 96h52l5 32H69z" fill="{s}"/><path d="M80 38h40v28H80z" fill="{s}"/><path d="M74 38q26-34 52 0zM66 66h68"/><path d="M60 46L20 32M60 58l-40 10M140 46l40-14M140 58l40 10"/><path d="M34 180h132"/>`,
	"cloud":      `<path d="M50 110q-32-4-28-36t38-28q14-30 48-24t34 36q36-2 36 26t-34 26z"/><path d="M104 96l-26 40h26l-16 40 46-52h-28l16-28z" fill="{s}"/><path d="M54 132l-8 20M150 132l-8 20"/>`,
	"rope":       `<circle cx="100" cy="104" r="70"/><circle cx="100" cy="104" r="50" fill="{s}"/><circle cx="100" cy="104" r="30"/><circle cx="100" cy="104" r="10" fill="{s}"/><path d="M52 54l10 14M36 78l16 8M30 108l20-2M38 138l16-10M148 54l-10 14M164 78l-16 8M170 108l-20-2M162 138l-16-10M100 34v20"/><path d="M160 140q24 18 20 40" fill="none"/>`,
	"flag":       `<path d="M52 20v162"/><path d="M52 28q34-16 62 0t58 0v78q-30 16-58 0t-62 0z"/><path d="M52 28q16-8 31-8v39q-16 0-31 8zM83 59q16 0 31 7v39q-16-8-31-8zM114 28q16 8 31 8v38q-16 0-31-8zM145 74q14 0 27-6v38q-14 7-27 7z" fill="{s}"/><path d="M34 182h38"/>`,
	"note":       `<path d="M72 142V44l88-20v98" fill="none"/><path d="M72 44l88-20v26L72 70z" fill="{s}"/><ellipse cx="50" cy="146" rx="25" ry="19"/><ellipse cx="138" cy="126" rx="25" ry="19"/>`,
	"film":       `<path d="M26 74h148v100H26z"/><path d="M26 74L20 48l142-30 6 26z" fill="{s}"/><path d="M52 42l22 24M88 34l22 24M124 26l22 24"/><path d="M84 100l42 24-42 24z" fill="{s}"/>`,
	"stall":      `<path d="M40 92v88M160 92v88M28 132h144v26H28z"/><path d="M36 30h128l18 50q0 20-20 20-18 0-21-20-2 20-21 20t-20-20q-2 20-20 20t-21-20q-2 20-21 20-20 0-20-20z"/><path d="M68 30h32v50q-2 20-20 20t-21-20zM132 30h32l18 50q0 20-20 20-18 0-21-20z" fill="{s}"/>`,
	"coins":      `<path d="M92 108v44q0 20 42 20t42-20v-44z"/><ellipse cx="134" cy="108" rx="42" ry="18" fill="{s}"/><path d="M92 130q0 18 42 18t42-18" fill="none"/><path d="M22 62v86q0 20 42 20 16 0 28-4V62z"/><ellipse cx="64" cy="62" rx="42" ry="18" fill="{s}"/><path d="M22 90q0 18 42 18 14 0 28-4M22 118q0 18 42 18 14 0 28-4M106 62v32" fill="none"/>`,
}
