module frontdesk/test/interop

go 1.26.0

replace frontdesk => ../..

require (
	frontdesk v0.0.0-00010101000000-000000000000
	github.com/aws/aws-sdk-go-v2/feature/cloudfront/sign v1.9.16
	github.com/gowebpki/jcs v1.0.2
	github.com/letsencrypt/pebble/v2 v2.10.1
	github.com/temoto/robotstxt v1.1.2
	golang.org/x/net v0.62.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/dunglas/httpsfv v1.1.2 // indirect
	github.com/go-jose/go-jose/v4 v4.1.8 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/letsencrypt/challtestsrv v1.4.2 // indirect
	github.com/miekg/dns v1.1.73 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
