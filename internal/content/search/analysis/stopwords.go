package analysis

import (
	"maps"
	"slices"
)

// functionWords are, by language, the words that carry grammar and no subject: articles, pronouns,
// prepositions, auxiliaries, question words. They are left out of questions and tell languages
// apart; documents keep theirs. No negation is among them: "belt without buckle" is not "belt with
// buckle".
var functionWords = map[string]string{
	"en": `a about above after again against all also am an and any are as at be because been before being below
		between both but by can could did do does doing down during each few for from further had has have having he
		her here hers herself him himself his how i if in into is it its itself let me more most must my myself of off
		on once only or other ought our ours ourselves out over own same shall she should so some such than that the
		their theirs them themselves then there these they this those through to too under until up upon us very was
		we were what when where which while who whom whose why will with would you your yours yourself yourselves
		i'm i'd i'll i've you're you'd you'll you've he's she's it's we're we've they're they've that's there's what's
		where's who's how's let's`,
	"de": `aber alle als also am an auch auf aufs aus bei beim bin bis bist da dann das dass dein deine dem den der des gegen
		dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es
		etwas euch euer eure für fürs gibt habe haben hast hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren
		ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst können könnte man mein meine meinem
		meinen meiner mich mir mit muss müssen nach noch nun nur ob oder sehr sein seine seinem seinen seiner seit
		sich sie sind so soll sollen sollte um ums und uns unser unsere unter vom von vor wann war waren warum was welche
		welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wirst wo wollen würde würden
		zu zum zur zwischen über`,
	"es": `a al algo algún alguna algunas alguno algunos ante antes aquel aquella aquellas aquellos aquí como con
		cómo cual cuál cuáles cuando cuándo cuánto de del desde donde dónde durante e el él ella ellas ellos en entre
		era eran eres es esa esas ese eso esos esta está están estar estas este esto estos estoy fue fueron ha había
		han has hasta hay he la las le les lo los más me mi mis mucho muy nos nosotros o os otra otras otro otros para
		pero poco por porque puede puedo que qué quien quién quiénes se sea ser si sí sido sobre son soy su sus
		también te tener tengo ti tiene tienen todo todos tu tú tus u un una unas uno unos y ya yo`,
	"fr": `à afin ai ainsi alors après as au aussi autre autres aux avec avez avoir avons c ça car ce cela ces cet
		cette ceux chaque chez comme comment d dans de depuis des donc dont du elle elles en encore entre es est et
		étaient était être eu eux fait faire il ils j je l la là laquelle le lequel les leur leurs lui m ma mais me
		même mes moi mon n nos notre nous on ont ou où par parce pendant peut peux plus pour pourquoi puis qu quand
		que quel quelle quelles quels qui quoi s sa se sera ses si soit son sont sous suis sur t ta te tes toi ton
		tous tout toute toutes très tu un une va vers vos votre vous y`,
	"it": `a abbiamo ad agli ai al alla alle allo anche c che chi ci come con cosa cui d da dagli dai dal dalla dalle
		dei degli del dell della delle dello di dopo dove e è ed era erano essere fa fra gli ha hai hanno ho i il in
		io l la le lei li lo loro lui ma me mi mia mie miei mio molto negli nei nel nell nella nelle nello noi nostra
		nostro o ogni per perché più poi può qual quale quali quando quanto quella quelle quelli quello questa queste
		questi questo qui se sei si sia siamo sono sopra sotto sta su sua sue sugli sui sul sulla sulle suo suoi
		tra tu tua tuo tutti tutto un una uno vi voi`,
	"pt": `a à ao aos aquela aquelas aquele aqueles aquilo as às até com como cada da das de dela dele deles depois do
		dos e é ela elas ele eles em entre era eram essa essas esse esses esta está estão estar estas este estes eu
		foi foram há isso isto já la lhe lhes mais mas me mesmo meu meus minha minhas muito na nas no nos nós nossa
		nosso num numa o onde os ou para pela pelas pelo pelos pode por porque posso qual quais quando que quem quê
		são se seja ser seu seus sobre sua suas também te tem têm tenho ter teu tu tua tudo um uma umas uns você
		vocês vos`,
	"nl": `aan al alle als ben bent bij daar dan dat de der deze die dit doch doen door dus een en er ge had hadden
		heb hebben heeft hem het hier hij hoe hun iets ik in is je jij jouw jullie kan kun kunnen maar me meer men met
		mij mijn moet moeten na naar nog nu of om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit
		uw van veel voor waar waarom wanneer waren was wat we welk welke werd wie wij wil worden wordt zal ze zelf zich
		zij zijn zo zou`,
	"sv": `alla allt att av blev bli blir de dem den denna deras dess dessa det detta dig din dina ditt du där då efter
		ej eller en er era ett finns från för ha hade han hans har henne hennes hon honom hos hur här i ju jag kan kunde
		man med mellan men mig min mina mitt mot mycket ni nu när någon något några och om oss på samma sedan sig sin
		sina sitt ska skulle som så sådan till under upp ut vad var vara varför varje vars vart vem vi vid vilka vilken
		vilket vår våra vårt är över`,
	"no": `alle at av bare begge ble bli blir da de deg dem den denne der dere deres det dette di din dine disse ditt
		du eller en enn er et etter for fordi fra før ha hadde han hans har henne hennes her hun hva hvem hver hvilke
		hvilken hvis hvor hvordan hvorfor i inn jeg kan kom kunne man med meg mellom men min mine mitt mot mye noe noen
		nå når og også om opp oss over på sa samme seg selv si sin sine sitt skal skulle slik som så til ut var ved vi
		vil ville vår være vært`,
	"da": `af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter
		eller en end er et for fordi fra før ham han hans har havde hende hendes her hos hun hvad hvem hver hvilken
		hvis hvor hvordan hvorfor i jeg jer kan kunne man mange med meget men mig min mine mit mod mod ned noget nogle
		nu når og også om op os over på sig sin sine skal skulle som sådan til ud under var ved vi vil ville vor være
		været`,
	"hu": `a abban ahhoz ahogy aki akik ami amely amelyek az azok azon azt aztán be benne bár csak de e egy egyes egyik
		el ennek erre és ez ezek ezen ezt ezzel fel hanem hogy hogyan hol honnan hová igen ill ilyen is itt ki kik
		kell le lehet legyen ma maga már még meg mely melyik mert mi mikor milyen mind minden mint miért mit most nagyon
		ő ők olyan ott őt pedig s sem són szerint talán te ti több új úgy után utána vagy vagyok valaki van vannak
		volt voltak`,
	"ru": `а бы был была были было быть в вам вас ваш весь во вот все всего всех вы где да для до его ее ей ему если
		есть еще же за и из или им их к как какая какие какой когда кого которая которые который кто ли между меня
		мне много может можно мой моя мы на над надо нас наш него нее ней нему них но о об однако он она они оно от
		очень перед по под после потом потому почему при про с сам свой себя сейчас со так такой там тебя тем то
		тобой тогда того тоже только том ты у уже хотя чего чем что чтобы эта эти это этого этой этом этот я`,
	"pl": `a aby albo ale bardzo być był była było były chce ci co czy dla do gdy gdzie go i ich ile im ja jak jaka
		jaki jakie jako je jego jej jest jestem jeszcze jeśli już kiedy kto która które który którzy lub ma mam mi
		mnie może można mój my na nad nam nas nasz o od on ona one oni oraz po pod ponieważ przed przez przy są się
		swój ta tak także tam te tego tej ten to tu tym ty w we więc wszystko z za ze że`,
}

// functionTags are the languages of functionWords in order.
var functionTags = slices.Sorted(maps.Keys(functionWords))

// negations are, by language, the words after which a question names what is not wanted.
var negations = map[string]string{
	"en": "no not without non never except excluding minus",
	"de": "ohne kein keine keinen keiner nicht außer",
	"es": "sin no excepto salvo",
	"fr": "sans pas non sauf",
	"it": "senza non no eccetto",
	"pt": "sem não exceto",
	"nl": "zonder geen niet behalve",
	"sv": "utan inte ingen inga",
	"no": "uten ikke ingen",
	"da": "uden ikke ingen",
	"hu": "nélkül nem",
	"ru": "без не нет кроме",
	"pl": "bez nie oprócz",
}
