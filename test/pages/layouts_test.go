package pages

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
)

// page is one made-up page: what it is about, and how it is written.
type page struct {
	*tongue
	number      int
	name, site  string
	description string   // in its data or its head; empty where there is none
	text, steps []string // what it says
	others      []string // names of other pages, which stand around its text
	layout      layout
	charset     string // "" for UTF-8
	declared    bool   // the page says its encoding
	file, url   string
	random      *rand.Rand
}

// layout writes a page; its name is that of a kind of program or habit.
type layout struct {
	name  string
	write func(*page) string
}

// own is everything that the page says itself.
func (p *page) own() string {
	return strings.Join(append(append([]string{p.description, p.name}, p.text...), p.steps...), "\n")
}

func (p *page) title() string {
	switch p.number % 5 {
	case 0:
		return p.name + " | " + p.site
	case 1:
		return p.name + " - " + p.site
	case 2:
		return p.name + " – " + p.site
	case 3:
		return p.site + ": " + p.name
	}
	return p.name
}

func esc(s string) string { return html.EscapeString(s) }

// jsonLD writes a block of data.
func jsonLD(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return "<script type=\"application/ld+json\">" + string(data) + "</script>\n"
}

type object = map[string]any

func (p *page) paragraphs() string {
	var out strings.Builder
	for i, s := range p.text {
		switch {
		case i == 2:
			fmt.Fprintf(&out, "<h2>%s</h2>\n", esc(p.n[p.number%len(p.n)]))
			fallthrough
		default:
			fmt.Fprintf(&out, "<p>%s</p>\n", esc(s))
		}
	}
	return out.String()
}

func (p *page) list(tag string) string {
	var out strings.Builder
	for _, s := range p.steps {
		fmt.Fprintf(&out, "<li>%s</li>\n", esc(s))
	}
	return "<" + tag + ">" + out.String() + "</" + tag + ">\n"
}

// around puts what pages of sites are full of around a content. How it is marked differs from page
// to page.
func (p *page) around(head, content string) string {
	tag := func(semantic, class string) (string, string) {
		switch p.number % 3 {
		case 0:
			return "<" + semantic + ">", "</" + semantic + ">"
		case 1:
			return `<div class="` + class + `">`, "</div>"
		}
		return `<div class="css-` + fmt.Sprint(p.random.IntN(99999)) + ` ` + class + `" id="` + class + fmt.Sprint(p.number) + `">`, "</div>"
	}
	var out strings.Builder
	out.WriteString("<!DOCTYPE html>\n<html lang=\"" + p.tag + "\"><head>" + p.meta() + head +
		"</head>\n<body class=\"home has-sidebar nav-open\">")
	open, end := tag("header", "site-header")
	out.WriteString(open + `<a href="/" class="logo">` + esc(p.site) + "</a>" + p.navigation() + end)
	fmt.Fprintf(&out, `<div id="cookie-consent" class="cc-window" role="dialog"><p>%s</p><button>OK</button></div>`, esc(p.cookies))
	fmt.Fprintf(&out, `<div class="breadcrumbs"><a href="/">%s</a> &gt; <a href="/x">%s</a> &gt; %s</div>`, esc(p.menu[0]), esc(p.menu[1]), esc(p.name))
	out.WriteString(content)
	open, end = tag("aside", "sidebar widget-area")
	out.WriteString(open + "<h3>" + esc(p.related) + "</h3><ul>")
	for i, other := range p.others {
		fmt.Fprintf(&out, `<li><a href="/other/%d"><img src="/t%d.jpg" alt="">%s</a></li>`, i, i, esc(other))
	}
	out.WriteString("</ul>" + end)
	if p.number%2 == 0 {
		fmt.Fprintf(&out, `<section id="comments" class="comments-area"><h3>3</h3><ol class="comment-list"><li class="comment"><p>%s</p></li><li class="comment"><p>%s %s</p></li><li class="comment"><p>%s</p></li></ol></section>`,
			esc(p.comment), esc(p.others[0]), esc(p.comment), esc(p.comment))
	}
	open, end = tag("footer", "site-footer")
	out.WriteString(open + "<p>© 2026 " + esc(p.site) + "</p>" + p.navigation() + end)
	out.WriteString("<script>window.dataLayer=window.dataLayer||[];if(1<2){document.write('<p>no " +
		"text</p>')}</script></body></html>")
	return out.String()
}

func (p *page) navigation() string {
	var out strings.Builder
	for i, entry := range p.menu {
		fmt.Fprintf(&out, `<li><a href="/m%d">%s</a></li>`, i, esc(entry))
	}
	return "<nav><ul>" + out.String() + "</ul></nav>"
}

// meta declares the encoding, in one of the ways in use, or not at all.
func (p *page) meta() string {
	charset := p.charset
	if charset == "" {
		charset = "utf-8"
	}
	if !p.declared {
		return ""
	}
	switch p.number % 4 {
	case 0:
		return `<meta http-equiv="Content-Type" content="text/html; charset=` + charset + `">`
	case 1:
		// late, as behind long scripts
		return "<!--" + strings.Repeat(" generated ", 150) + "--><meta charset=\"" + charset + "\">"
	}
	return "<meta charset=" + charset + ">"
}

func (p *page) titled() string { return "<title>" + esc(p.title()) + "</title>" }

func (p *page) organization() object {
	return object{"@type": "Organization", "@id": "https://pages.example/#organization", "name": p.site,
		"url":  "https://pages.example/",
		"logo": object{"@type": "ImageObject", "url": "https://pages.example/logo.png"}}
}

func (p *page) crumbs() object {
	return object{"@type": "BreadcrumbList",
		"itemListElement": []object{{"@type": "ListItem", "position": 1, "name": p.menu[0],
			"item": "https://pages.example/"}, {"@type": "ListItem", "position": 2, "name": p.name}}}
}

// canonical gives the page an address of its own.
func (p *page) canonical() string {
	p.url = fmt.Sprintf("https://pages.example/p/%d/", p.number)
	return `<link rel="canonical" href="` + p.url + `">`
}

func (p *page) howTo() []object {
	var steps []object
	for _, s := range p.steps {
		steps = append(steps, object{"@type": "HowToStep", "text": s})
	}
	return steps
}

func (p *page) recipe() object {
	return object{
		"@context": "https://schema.org/", "@type": "Recipe", "name": p.name, "description": p.description,
		"recipeIngredient": []string{"2 " + p.n[0], "1 " + p.n[1]}, "recipeInstructions": p.howTo(),
		"author": object{"@type": "Person", "name": "A. Baker"}, "image": []string{"/i.jpg"}, "totalTime": "PT1H",
		"aggregateRating": object{"@type": "AggregateRating", "ratingValue": "4.7", "ratingCount": 12},
	}
}

// layouts are the kinds of pages. Each of them stands for what programs that run many sites write,
// or people by hand.
var layouts = []layout{
	{"blog with a graph of data", func(p *page) string {
		head := p.titled() + p.canonical() + `<meta property="og:title" content="` + esc(p.title()) + `"><meta property="og:site_name" content="` + esc(p.site) + `"><meta property="og:type" content="article">` +
			`<meta name="description" content="` + esc(p.description) + `">` + jsonLD(object{"@context": "https://schema.org", "@graph": []object{
			{"@type": "Article", "@id": p.url + "#article", "isPartOf": object{"@id": p.url}, "headline": p.name,
				"datePublished": "2026-01-02T03:04:05+00:00", "mainEntityOfPage": object{"@id": p.url},
				"publisher": object{"@id": "https://pages.example/#organization"}, "wordCount": 300,
				"articleSection": []string{p.menu[2]}},
			{"@type": "WebPage", "@id": p.url, "url": p.url, "name": p.title(),
				"isPartOf": object{"@id": "https://pages.example/#website"}, "description": p.description,
				"breadcrumb": object{"@id": p.url + "#breadcrumb"}},
			p.crumbs(), {"@type": "WebSite", "@id": "https://pages.example/#website", "url": "https://pages.example/",
				"name": p.site,
				"potentialAction": []object{{"@type": "SearchAction", "target": object{"@type": "EntryPoint",
					"urlTemplate": "https://pages.example/?s={search_term_string}"}}}},
			p.organization(),
			{"@type": "Person", "@id": "https://pages.example/#/schema/person/1", "name": "Ann Writer"},
		}})
		return p.around(head, `<main id="main"><article class="post type-post"><header class="entry-header"><h1 class="entry-title">`+esc(p.name)+`</h1><span class="byline">Ann Writer</span></header><div class="entry-content">`+p.paragraphs()+`</div><div class="sharedaddy sd-sharing"><a href="#">Facebook</a> <a href="#">X</a></div></article></main>`)
	}},
	{"shop with two blocks of the product", func(p *page) string {
		product := object{"@context": "http://schema.org/", "@type": "Product", "name": p.name,
			"description": p.description, "sku": fmt.Sprintf("SKU-%d", p.number),
			"url":   "https://pages.example/products/" + fmt.Sprint(p.number),
			"brand": object{"@type": "Brand", "name": p.site},
			"offers": []object{{"@type": "Offer", "price": "19.90", "priceCurrency": "EUR",
				"availability": "http://schema.org/InStock",
				"url":          "https://pages.example/products/" + fmt.Sprint(p.number) + "?variant=1"}}}
		second := object{"@context": "http://schema.org/", "@type": "Product", "name": p.name,
			"url": "https://pages.example/products/" + fmt.Sprint(p.number), "sku": "x"}
		p.url = "https://pages.example/products/" + fmt.Sprint(p.number)
		head := p.titled() + `<link rel="canonical" href="` + p.url + `"><meta property="og:type" content="product"><meta property="og:title" content="` + esc(p.name) + `">` +
			jsonLD(object{"@context": "http://schema.org", "@type": "Organization", "name": p.site,
				"url": "https://pages.example"}) + jsonLD(product) + jsonLD(second) +
			jsonLD(merge(p.crumbs(), "@context", "https://schema.org"))
		return p.around(head, `<main><div class="product-single"><h1 class="product__title">`+esc(p.name)+`</h1><span class="price">€19.90</span><form action="/cart/add"><select name="id"><option>S</option><option>M</option></select><button>+</button></form><div class="product-description rte">`+p.paragraphs()+`</div></div></main>`)
	}},
	{"recipe beside an article", func(p *page) string {
		recipe := p.recipe()
		recipe["mainEntityOfPage"] = "https://pages.example/" + p.file
		return p.around(p.titled()+jsonLD(object{"@context": "https://schema.org", "@graph": []any{
			object{"@type": "Article", "headline": p.name,
				"mainEntityOfPage": object{"@id": "https://pages.example/" + p.file}}, p.organization(), recipe,
		}}), `<article><h1>`+esc(p.name)+`</h1>`+p.paragraphs()+`<div class="wprm-recipe-container">`+p.list("ol")+`</div></article>`)
	}},
	{"recipe in its page's data", func(p *page) string {
		recipe := p.recipe()
		delete(recipe, "@context")
		recipe["recipeInstructions"] = []object{{"@type": "HowToSection", "name": p.menu[2],
			"itemListElement": p.howTo()}}
		return p.around(p.titled()+
			jsonLD(object{"@context": "https://schema.org", "@type": "ItemPage", "name": p.title(),
				"mainEntity": recipe}), "<h1>"+esc(p.name)+"</h1>"+p.list("ol"))
	}},
	{"recipe of two types in a list", func(p *page) string {
		recipe := p.recipe()
		recipe["@type"] = []string{"Recipe", "NewsArticle"}
		recipe["headline"] = p.name
		recipe["mainEntityOfPage"] = object{"@type": []string{"WebPage"}, "@id": "https://pages.example/" + p.file}
		return p.around(p.titled()+jsonLD([]object{recipe}), "<h1>"+esc(p.name)+"</h1>"+p.paragraphs())
	}},
	{"AMP", func(p *page) string {
		p.url = fmt.Sprintf("https://pages.example/amp/%d", p.number)
		return `<!doctype html><html ⚡ lang="` + p.tag + `"><head><meta charset="utf-8"><link rel="canonical" href="` + p.url + `"><script async src="https://cdn.ampproject.org/v0.js"></script><title>` + esc(p.title()) + `</title>` +
			jsonLD(object{"@context": "http://schema.org", "@type": "NewsArticle", "headline": p.name,
				"mainEntityOfPage": p.url, "datePublished": "2026-02-01"}) + `<style amp-custom>body{color:red}</style></head><body><amp-sidebar id="s" layout="nodisplay"><ul><li>` + esc(p.menu[0]) + `</li></ul></amp-sidebar>` +
			`<article><h1>` + esc(p.name) + `</h1><amp-img src="/a.jpg" width="1" height="1"></amp-img>` + p.paragraphs() + `</article><amp-consent id="c"><div id="ui">` + esc(p.cookies) + `</div></amp-consent></body></html>`
	}},
	{"product in microdata", func(p *page) string {
		return p.around(p.titled(), `<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">`+esc(p.name)+`</h1><img itemprop="image" src="/p.jpg"><div itemprop="description"><p>`+esc(p.text[0])+`</p><p>`+esc(p.text[1])+`</p></div><div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><span itemprop="price">12.00</span><meta itemprop="priceCurrency" content="EUR"></div></div>`)
	}},
	{"recipe in microdata below an article", func(p *page) string {
		var steps strings.Builder
		for _, s := range p.steps {
			steps.WriteString(`<li itemprop="recipeInstructions">` + esc(s) + "</li>")
		}
		return p.around(p.titled()+
			jsonLD(object{"@context": "https://schema.org", "@type": "BlogPosting", "headline": p.name}),
			`<article itemscope itemtype="https://schema.org/CreativeWork"><h1 itemprop="headline">`+esc(p.name)+`</h1>`+p.paragraphs()+
				`<div itemscope itemtype="http://schema.org/Recipe"><h2 itemprop="name">`+esc(p.name)+`</h2><li itemprop="recipeIngredient">1 kg</li><ol>`+steps.String()+`</ol></div></article>`)
	}},
	{"recipe in RDFa", func(p *page) string {
		var steps strings.Builder
		for _, s := range p.steps {
			steps.WriteString(`<li property="recipeInstructions">` + esc(s) + "</li>")
		}
		return p.around(p.titled(), `<div vocab="https://schema.org/" typeof="Recipe"><h1 property="name">`+esc(p.name)+`</h1><p property="description">`+esc(p.description)+`</p><ol>`+steps.String()+`</ol><meta property="totalTime" content="PT20M"></div>`)
	}},
	{"OpenGraph alone", func(p *page) string {
		return p.around(p.titled()+p.canonical()+`<meta property="og:title" content="`+esc(p.name)+`"><meta property='og:description' content='`+esc(p.description)+`'><meta property="og:type" content="article"><meta property="og:site_name" content="`+esc(p.site)+`">`,
			`<div class="content"><div class="headline">`+esc(p.name)+`</div>`+p.paragraphs()+`</div>`)
	}},
	{"no data at all", func(p *page) string {
		return p.around(p.titled(), `<div id="content"><h1>`+esc(p.name)+`</h1>`+p.paragraphs()+p.list("ul")+`</div>`)
	}},
	{"a page of the nineties", func(p *page) string {
		var out strings.Builder
		out.WriteString("<HTML lang=" + p.tag + "><HEAD>" + strings.ToUpper("<title>") + esc(p.title()) + "</TITLE>" +
			p.meta() + "</HEAD><BODY BGCOLOR=white><TABLE width=100%><TR><TD width=150 valign=top><FONT size=2>")
		for i, entry := range p.menu {
			fmt.Fprintf(&out, "<A HREF=m%d.htm>%s</A><BR>", i, esc(entry))
		}
		out.WriteString("</FONT><TD><CENTER><FONT SIZE=+3><B>" + esc(p.name) + "</B></FONT></CENTER><HR>")
		for _, s := range p.text {
			out.WriteString("<P>" + esc(s) + "\n")
		}
		for _, s := range p.steps {
			out.WriteString(esc(s) + "<BR><BR>\n")
		}
		out.WriteString("<P><FONT size=1><A HREF=/>" + esc(p.menu[0]) + "</A> | <A HREF=mailto:x@pages.example>" +
			esc(p.menu[4]) + "</A></FONT></TABLE></BODY></HTML>")
		return out.String()
	}},
	{"data with faults", func(p *page) string {
		block := "<script type='application/ld+json'>\n{\n \"@context\": \"https://schema.org\", // made by hand\n" +
			" \"@type\": \"Recipe\",\n \"name\": \"" + quoteless(p.name) + "\",\n \"description\": \"" +
			quoteless(p.description) + "\n\t" + quoteless(p.text[0]) + "\",\n" +
			" \"recipeIngredient\": [\"1 cup \"warm\" water\",],\n" +
			" \"recipeInstructions\": [{\"@type\":\"HowToStep\",\"text\":\"" + quoteless(p.steps[0]) +
			"\"}{\"@type\":\"HowToStep\",\"text\":\"" + quoteless(p.steps[1]) + "\"},],\n}\n;</script>"
		return p.around(p.titled()+block, "<h1>"+esc(p.name)+"</h1>"+p.list("ol"))
	}},
	{"data escaped for HTML", func(p *page) string {
		data, _ := json.Marshal(
			object{"@context": "https://schema.org", "@type": "Product", "name": esc(p.name),
				"description": "&lt;p&gt;" + esc(esc(p.description)) + "&lt;/p&gt;", "sku": "s",
				"offers": object{"@type": "Offer", "price": 3}})
		return p.around(p.titled()+"<script type=\"application/ld+json\">//<![CDATA[\n"+string(data)+"\n//]]></script>",
			"<h1>"+esc(p.name)+"</h1><p>"+esc(p.text[0])+"</p>")
	}},
	{"data of another page broken off", func(p *page) string {
		return p.around(p.titled()+`<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"`+quoteless(p.name)[:4]+"</script>", `<main><h1>`+esc(p.name)+`</h1>`+p.paragraphs()+`</main>`)
	}},
	{"data about the site alone", func(p *page) string {
		return p.around(p.titled()+
			jsonLD(merge(p.organization(), "@context", "https://schema.org", "description", p.site+" "+p.cookies))+
			jsonLD(object{"@context": "https://schema.org", "@type": "WebSite", "name": p.site,
				"url": "https://pages.example/"}),
			`<div class="page-content"><h1>`+esc(p.name)+`</h1>`+p.paragraphs()+`</div>`)
	}},
	{"article with questions", func(p *page) string {
		return p.around(p.titled()+
			jsonLD(object{"@context": "https://schema.org",
				"@graph": []object{{"@type": "Article", "headline": p.name, "description": p.description},
					{"@type": "FAQPage", "mainEntity": []object{
						{"@type": "Question", "name": p.steps[0],
							"acceptedAnswer": object{"@type": "Answer", "text": p.text[0]}},
					}}}}), "<article><h1>"+esc(p.name)+"</h1>"+p.paragraphs()+"</article>")
	}},
	{"a soup of elements without names", func(p *page) string {
		var out strings.Builder
		for _, s := range p.text {
			out.WriteString(`<div class="_3xKq"><div><span>` + esc(s) + `</span></div></div>`)
		}
		return p.around(p.titled(), `<div id="root"><div class="_1a2b"><div class="_x9"><div class="_t">`+esc(p.name)+`</div>`+out.String()+`</div></div></div>`)
	}},
	{"a logo as the heading", func(p *page) string {
		return p.around(p.titled()+`<meta property="og:site_name" content="`+esc(p.site)+`">`, `<h1 class="logo"><a href="/">`+esc(p.site)+`</a></h1><div class="post"><h2>`+esc(p.name)+`</h2>`+p.paragraphs()+`</div>`)
	}},
	{"event in microdata", func(p *page) string {
		return p.around(p.titled(), `<section itemscope itemtype="https://schema.org/Event"><h1 itemprop="name">`+esc(p.name)+`</h1><time itemprop="startDate" datetime="2026-12-24T18:00">24.12.</time><div itemprop="location" itemscope itemtype="https://schema.org/Place"><span itemprop="name">`+esc(p.p[0])+`</span></div><div itemprop="description">`+esc(p.description)+`</div></section>`)
	}},
	{"a job", func(p *page) string {
		return p.around(p.titled()+
			jsonLD(object{"@context": "https://schema.org", "@type": "JobPosting", "title": p.name,
				"description":        "<p>" + p.text[0] + "</p><ul><li>" + p.steps[0] + "</li></ul>",
				"hiringOrganization": object{"@type": "Organization", "name": p.site}, "datePosted": "2026-03-03",
				"jobLocation": object{"@type": "Place",
					"address": object{"@type": "PostalAddress", "addressLocality": p.p[1]}}}),
			"<h1>"+esc(p.name)+"</h1>"+p.paragraphs())
	}},
	{"nothing closed", func(p *page) string {
		return "<html lang=" + p.tag + "><title>" + esc(p.title()) + "</title>" + p.meta() +
			"<body><body><div><ul><li><a href=/>" + esc(p.menu[0]) + "<li><a href=/2>" + esc(p.menu[1]) +
			"</ul></div></div></p><h1><b><i>" + esc(p.name) + "</b></i></h1><p>" + esc(p.text[0]) + "<p><div>" +
			esc(p.text[1]) + "</p></br><table><p>" + esc(p.text[2]) +
			"<tr><td>1</table></span></div><p " + strings.Repeat("<b>", 30) + "x>" + esc(p.text[3]) + "</html><p>" +
			esc(p.text[4])
	}},
	{"no title", func(p *page) string {
		return p.around("", "<main><h1>"+esc(p.name)+"</h1>"+p.paragraphs()+"</main>")
	}},
	{"no heading", func(p *page) string {
		return p.around("<title>"+esc(p.name)+"</title>", "<div>"+p.paragraphs()+"</div>")
	}},
	{"XHTML", func(p *page) string {
		charset := p.charset
		if charset == "" {
			charset = "UTF-8"
		}
		return `<?xml version="1.0" encoding="` + charset +
			`"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="` + p.tag + `" lang="` + p.tag + `"><head><meta http-equiv="content-type" content="application/xhtml+xml; charset=` + charset + `" /><title>` + esc(p.title()) + `</title><script type="text/javascript">/*<![CDATA[*/ var a = "<h1>wrong</h1>"; /*]]>*/</script></head><body><div id="nav">` + p.navigation() + `</div><div id="content"><h1>` + esc(p.name) + `</h1><br />` +
			p.paragraphs() + `</div></body></html>`
	}},
	{"more said in comments than in the article", func(p *page) string {
		var comments strings.Builder
		for i := range 12 {
			fmt.Fprintf(&comments, `<div class="comment-body"><p>%s %s</p></div>`, esc(p.comment), esc(p.others[i%len(p.others)]))
		}
		return p.around(p.titled()+p.canonical(), `<div class="entry"><h1>`+esc(p.name)+`</h1><p>`+esc(p.text[0])+`</p><p>`+esc(p.text[1])+`</p></div><div id="disqus_thread" class="comments">`+comments.String()+`</div>`)
	}},
	{"a list of related products in the data", func(p *page) string {
		var list []object
		for i, other := range p.others {
			list = append(list, object{"@type": "ListItem", "position": i + 1, "name": other,
				"url": fmt.Sprintf("https://pages.example/o/%d-%d", p.number, i)})
		}
		return p.around(p.titled()+
			jsonLD(merge(p.recipe(), "@type", "Product", "recipeIngredient", nil, "recipeInstructions", nil))+
			jsonLD(object{"@context": "https://schema.org", "@type": "ItemList", "itemListElement": list}),
			"<h1>"+esc(p.name)+"</h1>"+p.paragraphs())
	}},
	{"a film beside the text", func(p *page) string {
		return p.around(p.titled()+
			jsonLD(object{"@context": "https://schema.org", "@type": "VideoObject",
				"name": "MVI_" + fmt.Sprint(p.number), "uploadDate": "2026-01-01", "thumbnailUrl": "/t.jpg",
				"description": p.site}), "<article><h1>"+esc(p.name)+"</h1>"+p.paragraphs()+"</article>")
	}},
}

func merge(o object, pairs ...any) object {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == nil {
			delete(o, pairs[i].(string))
			continue
		}
		o[pairs[i].(string)] = pairs[i+1]
	}
	return o
}

// quoteless is a text that can stand in hand-written JSON.
func quoteless(s string) string { return strings.NewReplacer(`"`, "", `\`, "").Replace(s) }
