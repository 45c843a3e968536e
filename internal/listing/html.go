package listing

import (
	_ "embed"
	"html/template"
	"io"
)

var (
	//go:embed page.gohtml
	pageTemplate string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// WriteHTML writes the listing as one page of HTML with that title. The page
// holds all that it needs and loads nothing; it can be searched, and read without
// scripts. It fails where w does.
func (l *Listing) WriteHTML(w io.Writer, title string) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		page
		Style  template.CSS
		Script template.JS
	}{l.page(title), template.CSS(pageStyle), template.JS(pageScript)})
}
