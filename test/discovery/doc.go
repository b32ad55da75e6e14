// Package discovery lets one front desk read another: by the way in that it tells of in its
// robots.txt, and under its owner's terms.
package discovery
