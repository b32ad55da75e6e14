package search

import (
	"sync"

	"frontdesk/internal/content/search/analysis"
)

// plausible are English words that people ask for and that lie near others: where no item has one, that is what was
// meant all the same, and not a slip of the hand for its neighbour. Such as are often written for another (desert) are
// not among them.
const plausible = `
	abbey actor adoption aerosol agenda algebra alien alley almond altar amber ambulance anchor angel angle ankle antenna apartment apricot apron arch archer argon
	arena arson artist asthma atlas atom attic attorney auction audit aunt author avenue bacon badger badminton bail bait bakery ballad ballet ballot bamboo bandit banjo
	bankrupt banner baptism barge barley baron barrel basil basin bass bassoon bay beacon bean bee beer beetle benefit bible bicycle biology biopsy biotin birch bishop bison
	blister bloom blouse boar bolt bond bonus border bowel bowl boxer brain bran brass brewer bribe bride brief broker bronze brook broom brunch budget buffalo bull bunker
	burglar burial butler butter buyer cabin cable cactus cafe calcium calculus camel canal cancer candidate cannon canoe canyon capital capitol caravan career cargo carol carrot
	cart casino castle cattle cavern cedar celery cell cellar cello cement census ceramic cereal chapel chapter charity chef cherry chess chicken chief chili choir cholera
	church cider cinema citizen citrus civil clam clarinet clay clerk client cliff climate clinic clone clover coach coal coast cobalt cobra cocoa coconut code coffin
	coin college colon colonel colony comet comic comma commission company computer concert condo congress consul contract convent cookie copper coral cork corn coroner corps council
	counsel county coupon courier course court cousin covenant cow crane crater cream creek crew cricket crime crisis crop crow crown cruise crystal cuisine cult curator curfew
	curl currency curry custody cycle cylinder dairy daisy dam dance dawn deacon dealer debate debt decade deer defense deficit delta demon dental dentist deposit deputy
	dessert detective devil dialect diesel diet dinner diploma disco dividend diving divorce doctor dollar dolphin donor donut dorm dough dove draft dragon drama drought drum duck
	duel duke duty dwarf dynasty eagle earthquake echo eclipse economy edition editor education eel egypt elbow elder election electron elephant elevator elm embassy emerald emperor empire
	enamel energy engine enzyme epic equation equity era erosion escort essay estate estuary ethics eviction exam exile expert export fable factory faculty fairy faith falcon famine
	farm fashion fatigue fauna faucet felony fence fennel fern ferry fertility fever fiction fiddle fig finance firm fjord flag flamingo flea fleet flight flood flora flour flower
	flu fluid flute foam fog folk font forest fork fort fossil fountain fox fraud freight frog frost fruit fuel funeral fungus funnel fur galaxy gallery gamble garage garlic gas
	gauge gazelle gender gene genius genome genre geology ghost giant ginger giraffe glacier glory glove goat goblin gold golf goose gorilla gospel gourd government governor grain
	granite grape grass grave gravel gravity grill guard guest guild guilt gulf gull gym hail ham hammer hamster harbor harbour hare harp harvest hawk heart heaven hedge heir
	helicopter helium hell hen herb hero heron herring highway hill hip hippo history hockey holly honey honor horn horror horse hospital hostel hotel hound hunger hunter hurricane
	husband hydrogen hymn ice icon igloo immigration income index infant infection inflation influenza insect insurance interest internet invoice iodine iris iron island isotope italy ivory ivy
	jail jazz jelly jersey jet jewel job jockey journal judge juice jungle juror jury justice kale karate kayak kernel kidney kinetic king kitten knee knight labor labour lagoon
	lake lamb lance land lane language larva laser lava law lawyer league lease lecture leek legend lemon lentil leopard lesson lettuce level liberty library lichen lily
	lime linen lion liquor liver lizard llama loan lobby lobster lock locust loft lotus lottery lung lupus lyric magnet maid major malaria mango manor maple marathon marble mare
	marina marine market marriage mars marsh martyr mason mass matrix mayor meadow measles meat medal media mentor menu mercury merger mesa metal meteor meter method mice
	midwife migraine migrant military mill miner minister minor mint miracle missile mission mobile model molecule monarch monk monkey monsoon moon moose moral morgue mortgage mosque moss
	moth motel mother motor mountain mouse movie mule murder muscle museum mushroom music mussel mustard mutton myth narrator nation native navy nebula nectar nerve neuron neutron
	nickel niece night nobel noble noise noodle nova novel nuclear nun nurse nut oak oasis oat oath oboe ocean octopus olive onion opera opinion optic oral orange orbit orchard
	orchestra orchid organ orphan osprey ostrich otter ounce oven owl oxygen oyster palace panda panel panic paper parade parcel parish park parliament parrot parsley parsnip party passage
	passport pasta pastor pastry patent patient patio patrol peach peacock peanut pear pearl pecan pelican penguin pension pepper perjury petal petition petrol pharaoh phoenix photon
	phrase physics piano pickle pigeon pilgrim pilot pine pioneer pirate pistol pizza plague plain planet plasma plaster platinum plaza plot plough plum plumber plural poem poet
	poker pole police policy polio politics pollen pollution polo pond pony pope poplar poppy population porch pork port porter portrait poultry poverty prairie prayer predator president
	press price priest prince print prism prison prize profit prophet prose protein proton psalm psychology pub puberty pulse puma pumpkin pupil puppet puppy pyramid python quail quake
	quantum quarry quartz queen quota rabbi rabbit raccoon race radar radiation radio radish rail rain ramen ranch ransom rash raven ray recession referendum reform refugee regime
	religion rent republic reptile rescue resort retina revolt revolution rhyme rhythm rice rifle ritual river roast robber robin robot rocket roman romance root rose royal rubber ruby rugby
	ruin rumor rural rye saddle safari saffron saint salad salary salmon salon saloon salsa salt salute samba sardine satellite sauce sauna savanna scandal scholar school science
	scorpion scout sculptor seal seminar senate senator senior sermon serpent shark shell sheriff shrimp shrine siege silver simile singer siren skeleton skull slave sled sloth slum
	snail snake soccer soda sodium soldier solo sonnet soprano soul soup spain spam sparrow spectrum sphere spice spider spinach spine spirit spleen sponsor spouse spruce spy squash squid
	squirrel stadium stag stallion star statue statute steak steam steel stem steppe stock stoic storm strait straw strike stroke student studio subsidy suburb subway suffrage sugar suicide
	sultan summit sunrise surgeon surgery surplus swan swine sword symptom synagogue syntax syrup tango tariff tart tattoo tavern tax tea teacher telescope temple tenant tenor tennis tenor
	terror thesis thief thigh thorn throat throne thrush thunder thyme ticket tidal tiger timber tin titan toad tobacco tomb tonic topaz tornado tortoise torture tourist tower toxin track trade
	tragedy trail train tram trauma treason treasure treaty tribe tribune trombone trophy trout truce trumpet trust tulip tumor tuna tundra tunnel turbine turkey turnip tutor twin typhoon
	ulcer umpire uncle unicorn union universe uranium urban urine vaccine vacuum valley vampire vanilla vapor vector vegan venison venom venue verb verdict vermont verse vessel veteran veto
	viking villa village vineyard viola violet violin viper virgin virus visa vision vitamin vizier vodka voice volcano volley vote voter vowel voyage vulture wage waiter walnut
	walrus waltz war warrior wasp watt wax wealth weasel weather wedding weed weld welder whale wharf wheat whiskey widow wife winter witch witness wizard wolf womb workshop worm wrestle yacht
	yeast yoga yogurt zebra zinc zodiac zombie`

// plausibleStems are the stems of those words.
var plausibleStems = sync.OnceValue(func() map[string]bool {
	english, stems := analysis.NewAnalyzer(), map[string]bool{}
	for word := range english.Words(plausible, "en") {
		stems[word.Term] = true
	}
	return stems
})

// The rarity below which a word is one of everyday speech, and how many letters it has at least: shorter ones are syllables
// of other words.
const (
	everydayRarity  = 0.7
	everydayLetters = 3
)

// isPlausible says whether a word, in lower case, is one that nobody need have mistyped.
func (a *asking) isPlausible(word string) bool {
	return len(word) >= everydayLetters && rarity(word) < everydayRarity || plausibleStems()[a.snapshot.analyzer.Language("en").Stem(word)]
}
