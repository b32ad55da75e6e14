package i18n

// What is said while an answer is promised (NLWeb 0.55 §4.1.2).
var (
	PromiseWaiting   = in("promise_waiting")
	PromiseWorking   = in("promise_working")
	PromiseReading   = in("promise_reading")
	PromiseReadPages = in("promise_read_pages")
	PromiseCounting  = in("promise_counting")
	PromiseAgain     = in("promise_again")
)

// What a report says in words.
var (
	ReportItems   = in("report_items")
	ReportPrices  = in("report_prices")
	ReportRatings = in("report_ratings")
)
