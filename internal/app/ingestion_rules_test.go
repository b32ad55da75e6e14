package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ingestionRules are the rules of RAMP v1 on domains, the catalog and ingestion, each with the
// tests that hold it.
var ingestionRules = map[string]string{
	// Domain verification
	"a challenge is a token at an address of the " +
		"domain, for ten minutes, once": "TestADomainIsVerifiedByTokenAndManifest TestOfManyConfirmationsOneWins",
	"challenges are bound to domain and caller, " +
		"and limited": "TestOnlyTheCallerOfATenantMayVerifyItsDomains TestChallengesAreLimited",
	"the key comes with the verification, by the kind of the " +
		"CDN": "TestARegisteredKeySignsWhatIsSoldAtItsDomain TestAKeyOfCloudFrontGoesByItsName",
	"a domain that is not named any more lapses": "TestADomainLapsesAndComesBack " +
		"TestASilentDomainLapsesAfterADay",
	// CatalogService
	"who pushes is known by the signature over HTTP; a wrong tenant is refused": "TestOnlyACallerOfTheTenantMayPush",
	"entries are taken or refused one by one, with reasons": "TestEntriesAreRefusedOneByOne " +
		"TestRejectionsAreBounded TestWhatIsRefusedIsCounted",
	"third parties push only where the provider lists them": `TestAThirdPartyPushesOnlyWhereTheProviderListsIt`,
	"entries are taken out by path, at all domains, or by " +
		"address": "TestWhatIsPushedIsOfferedSoldAndRemoved TestEntriesAreTakenOutAndReadAnew",
	"a refresh says whether it begins": `TestWhatChangesWhileASiteIsReadIsReadAfterThat`,
	"exact before the longest beginning before patterns; /a never sells /abc": "TestLookupNeverSellsABeginning " +
		"TestPushedEntriesAreFoundByAddressThenBeginningThenPattern",
	"a stated price is a ceiling below the Exchange's own word": "TestAStatedPriceIsACeiling " +
		"TestWhatAProviderStatesIsOfferedByItsLicences",
	// Sources and their order
	"value for value " +
		"the first source that has one": "TestEachValueIsThatOfTheFirstSourceThatHasOne " +
		"TestTheSourceThatCountsFirstIsFirst TestWhatCountsIsTheFirstThatSaysIt",
	"the RAMP sitemap: namespace, every member, every pricing model": "TestListsAreRead " +
		"TestWhatASitemapStatesIsWrittenAsItIsRead TestModelsOfSitemapsAreModelsOfPrices " +
		"TestTheExtensionIsKnownByItsNamespace TestWhatIsWrittenOfAnAddressIsReadBackEqual",
	"RSL: every element; payments " +
		"and uses by the mapping tables": "TestDocumentsAreReadAsTheyAreFound " +
		"TestPaymentsAreModelsOfPrices TestUsagesAreFunctions",
	"RSL is found by robots.txt, Link, link, script, feed and /rsl.txt": "TestEveryPlaceIsAsked " +
		"TestDocumentsAreFoundWhereTheyAreNamed TestFeedsCarryLicencesInRSLsNamespaceAlone " +
		"TestPagesTellWhereLicencesAre TestAFeedTellsThatItCarriesLicences TestLicencesThatPagesNameAreApplied " +
		"TestLicencesThatFurtherPagesOfATenantNameAreRead TestPagesAreLookedAtInTurn " +
		"TestLicencesThatPagesOfATenantNameAreOffered",
	"patterns match as those " +
		"of RFC 9309, the longest counts": "TestPatternsOfRSLMatchAsThoseOfRobots TestTheIndexFindsWhatALookAtAllFinds",
	"several licences of a path are several offers": `TestWhatAProviderStatesIsOfferedByItsLicences`,
	"what is written is read back equal": "TestWhatIsWrittenIsReadBackEqual " +
		"TestRSLNeverSaysMoreThanTheRules",
	"sitemaps: index, sitemap.xml, robots.txt; address and lastmod": "TestEveryPlaceIsAsked " +
		"TestRobotsSitemapIsReadInTheFirstPlace",
	"WordPress: pages of " +
		"posts, what changed, never drafts": "TestAWordPressIsReadByItsAPI TestAWordPressIsAskedForWhatChanged " +
		"TestAWordPressThatFailsChangesNothing TestABadPostIsNamedAndWhatItWasStays TestWordPressesOfTheWild " +
		"TestPostsOfAWordPressAreReadPageByPage TestATenantsWordPressIsAskedForWhatChanged " +
		"TestWhatIsAskedForStepByStepIsWhatThereIs TestPostsThatWereMissedStay",
	"crawl: robots.txt for a day, one request a second and host, caps, main text": "TestRobotsAreKeptForADay " +
		"TestAHostIsCalledNoMoreOftenThanAgreed TestNoAnswerTakesMoreThanItMay " +
		"TestMainTextLeavesOutWhatStandsAround TestCapsHold",
	"tokens are words times a factor of the language; bytes make words where no text " +
		"is": "TestWordsAreCountedInEveryScript",
	// Refreshing
	"daily, incremental, by webhook": "TestOnlyWhatChangedIsSentAgain " +
		"TestWhatIsAsItWasIsNotSentAgain TestSystemsSayThatContentHasChanged TestPagesThatChangedAreReadAlone " +
		"TestNamedPagesAloneAreReadAnew",
	"built aside and swapped at once, whatever fails": "TestALossOfPowerLeavesAWholeEdition " +
		"TestABrokenConnectionLeavesAWholeEdition TestALossOfPowerLeavesWhatWasStatedWhole " +
		"TestABrokenConnectionLeavesWhatWasStatedWhole TestKilledProcessLeavesAWholeState " +
		"TestAReadingThatIsCutAnywhereIsNone",
	"never emptied by accident": "TestGoodCatalogueIsNotReplacedByLittle " +
		"TestNamedPagesDoNotEmptyASource TestWhatIsStatedIsKeptWhole TestSiteThatIsDownLeavesTheCatalogueAsItIs " +
		"TestPostsThatDoNotShowAnyMoreLeaveByWordAlone",
	"stale after 48 hours, critical after seven days": "TestWhatIsOldIsWarnedOf " +
		"TestFiguresTellHowOldWhatWasReadIs TestSourcesTellHowOldTheyAre TestAgesOfSourcesAreForPeople",
	"what is poisoned leaves what was, and the owner is told": "TestAPoisonedReadingLeavesWhatWasAndSaysSo " +
		"TestDocumentsThatCouldDoHarmAreRefused TestListsOfTheWildAreReadOrRefusedWhole " +
		"TestFeedsOfTheWildAreReadOrNamed",
	"UTF-16 is met as UTF-8; what is damaged is refused": "TestListsAndFeedsInUTF16AreMetAsThoseInUTF8 " +
		"TestLicencesInUTF16AreReadOrRefusedWhole TestTextIsThatOfEitherOrder",
}

// TestEveryRuleOfIngestionHasItsTests looks whether the tests above are there.
func TestEveryRuleOfIngestionHasItsTests(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, folder := range []string{"../../internal", "../../wire", "../../client"} {
		if err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			source.Write(text)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	for rule, tests := range ingestionRules {
		for _, name := range strings.Fields(tests) {
			if !strings.Contains(source.String(), "func "+name+"(t *testing.T)") {
				t.Errorf("%s: there is no test %s", rule, name)
			}
		}
	}
}
