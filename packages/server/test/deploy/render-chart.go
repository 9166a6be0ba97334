// Renders a chart as `helm template` does, with the functions of Helm that ours uses: CHART RELEASE VALUES (JSON, merged over values.yaml).
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func main() {
	folder, release := os.Args[1], os.Args[2]
	values := merge(readYaml(filepath.Join(folder, "values.yaml")), parse([]byte(os.Args[3])))
	chart := map[string]any{}
	for name, value := range readYaml(filepath.Join(folder, "Chart.yaml")) {
		chart[strings.ToUpper(name[:1])+name[1:]] = value
	}
	data := map[string]any{
		"Values":  values,
		"Chart":   chart,
		"Release": map[string]any{"Name": release, "Namespace": "default", "Service": "Helm"},
	}

	templates := template.New("chart").Option("missingkey=zero").Funcs(sprig.TxtFuncMap())
	templates.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var text strings.Builder
			err := templates.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"toYaml": func(value any) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"fail": func(text string) (string, error) { return "", fmt.Errorf("%s", text) },
	})
	files, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	template.Must(templates.ParseFiles(files...))
	for _, file := range files {
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		fmt.Println("---")
		check(templates.ExecuteTemplate(os.Stdout, filepath.Base(file), data))
	}
}

func merge(values, others map[string]any) map[string]any {
	for name, other := range others {
		inner, isMap := other.(map[string]any)
		if old, wasMap := values[name].(map[string]any); isMap && wasMap {
			values[name] = merge(old, inner)
		} else {
			values[name] = other
		}
	}
	return values
}

func readYaml(path string) map[string]any {
	text, err := os.ReadFile(path)
	check(err)
	text, err = yaml.YAMLToJSON(text)
	check(err)
	return parse(text)
}

func parse(text []byte) map[string]any {
	values := map[string]any{}
	check(json.Unmarshal(text, &values))
	return values
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
