package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// samples are what runs of benchmarks reported, by "benchmark:unit", one value a run.
type samples map[string][]float64

// line is what a benchmark says at its end: its name without the number of processors, how often it
// ran, values with their units.
var line = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(\S.*)$`)

// read adds what a command printed: lines of benchmarks, or one object of numbers, which are those
// of "json".
func (s samples) read(output []byte) error {
	if text := bytes.TrimSpace(output); bytes.HasPrefix(text, []byte("{")) {
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			return err
		}
		for name, value := range object {
			if number, ok := value.(float64); ok {
				s["json:"+name] = append(s["json:"+name], number)
			}
		}
		return nil
	}
	lines := bufio.NewScanner(bytes.NewReader(output))
	for lines.Scan() {
		found := line.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		for pair := range slices.Chunk(strings.Fields(found[2]), 2) {
			value, err := strconv.ParseFloat(pair[0], 64)
			if err != nil || len(pair) != 2 {
				return fmt.Errorf("no value and unit in %q", lines.Text())
			}
			key := found[1] + ":" + pair[1]
			s[key] = append(s[key], value)
		}
	}
	return lines.Err()
}

// value is the median of a cell: "benchmark:unit", "x benchmark:unit" where that is a ratio by
// itself, or "benchmark:unit / benchmark:unit", of which each run has a ratio of its own.
func (s samples) value(cell string) (float64, error) {
	over, under, divided := strings.Cut(strings.TrimPrefix(cell, "x "), " / ")
	all := slices.Clone(s[over])
	if len(all) == 0 {
		return 0, fmt.Errorf("%q finds no value: no benchmark reported %q", cell, over)
	}
	if divided {
		if len(s[under]) != len(all) {
			return 0, fmt.Errorf("%q finds no value: %d runs reported %q, and %d %q", cell, len(all), over,
				len(s[under]), under)
		}
		for i := range all {
			all[i] /= s[under][i]
		}
	}
	return median(all), nil
}

func median(all []float64) float64 {
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// measure runs the section's command, and takes the value of each cell.
func (s section) measure(at measured, data string) (measured, error) {
	command, built, err := s.prepare(data)
	if err != nil {
		return at, err
	}
	defer os.RemoveAll(built)
	at.Load, at.Runs = loadAverage(), s.runs
	found, began, before := samples{}, time.Now(), busy()
	var own time.Duration
	for range s.runs {
		run := *command
		var stderr bytes.Buffer
		run.Stderr = &stderr
		output, err := run.Output()
		if err != nil {
			return at, fmt.Errorf("%s: %w\n%s%s", s.command, err, output, stderr.Bytes())
		}
		own += run.ProcessState.UserTime() + run.ProcessState.SystemTime()
		if err := found.read(output); err != nil {
			return at, err
		}
	}
	if before > 0 {
		others := float64(busy()-before-own) / float64(time.Since(began)) / float64(runtime.NumCPU())
		at.Others = fmt.Sprintf("%.0f %%", max(0, 100*others))
	}
	at.Values = map[string]float64{}
	for _, row := range s.rows {
		for _, cell := range row.cells {
			if cell == "" {
				continue
			}
			if at.Values[cell], err = found.value(cell); err != nil {
				return at, err
			}
		}
	}
	return at, nil
}

// prepare makes what runs the section's command. Tests are built once, into a folder that the
// caller removes.
func (s section) prepare(data string) (command *exec.Cmd, built string, err error) {
	words := strings.Fields(strings.ReplaceAll(os.Expand(s.command, func(string) string { return data }), "'", ""))
	environment := slices.DeleteFunc(os.Environ(), func(v string) bool { // of the tests, which would run other engines
		return strings.HasPrefix(v, "FRONTDESK_") && !strings.HasPrefix(v, "FRONTDESK_BINARY=")
	})
	for strings.Contains(words[0], "=") {
		environment, words = append(environment, words[0]), words[1:]
	}
	command = exec.Command(words[0], words[1:]...)
	if words[1] == "test" {
		if built, err = os.MkdirTemp("", "figures-"); err != nil {
			return nil, "", err
		}
		program, folder := filepath.Join(built, "bench.test"), words[2]
		if output, err := exec.Command("go", "test", "-c", "-o", program, folder).CombinedOutput(); err != nil {
			os.RemoveAll(built)
			return nil, "", fmt.Errorf("%s: %w\n%s", s.command, err, output)
		}
		flags := slices.Clone(words[3:])
		for i, flag := range flags {
			if name, isFlag := strings.CutPrefix(flag, "-"); isFlag {
				flags[i] = "-test." + name
			}
		}
		command = exec.Command(program, flags...)
		command.Dir = folder
	}
	command.Env = environment
	return command, built, nil
}

// here is the commit, the day and the machine.
func here() (at measured) {
	git := func(args ...string) string {
		output, _ := exec.Command("git", args...).Output()
		return strings.TrimSpace(string(output))
	}
	at.Commit, at.Date = git("rev-parse", "--short=10", "HEAD"), time.Now().Format(time.DateOnly)
	if git("status", "--porcelain", "--", ".", ":!"+pageFile, ":!"+figuresFile) != "" {
		at.Commit += " with changes"
	}
	at.Machine = fmt.Sprintf("%d cores", runtime.NumCPU())
	if model := entry("/proc/cpuinfo", "model name", ":"); model != "" {
		at.Machine += " (" + model + ")"
	}
	if kilobytes, err := strconv.ParseFloat(strings.TrimSuffix(entry("/proc/meminfo", "MemTotal", ":"), " kB"),
		64); err == nil {
		at.Machine += fmt.Sprintf(", %.0f GB of memory", kilobytes/(1<<20))
	}
	system := strings.Trim(entry("/etc/os-release", "PRETTY_NAME", "="), `"`)
	if system == "" {
		system = runtime.GOOS
	}
	at.Machine += ", " + system + ", " + strings.Replace(runtime.Version(), "go", "Go ", 1)
	return at
}

// entry is the value behind a name in a file; empty where there is none.
func entry(file, name, separator string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, separator); strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// busy is how long all processors together have worked since the machine started, and were taken
// away by its host; 0 where that is unknown.
func busy() (total time.Duration) {
	text, _ := os.ReadFile("/proc/stat")
	for i, ticks := range strings.Fields(strings.SplitN(string(text), "\n", 2)[0]) {
		const idle, wait, steal, hundredth = 4, 5, 8, 10 * time.Millisecond
		if n, err := strconv.Atoi(ticks); err == nil && i != idle && i != wait && i <= steal {
			total += time.Duration(n) * hundredth
		}
	}
	return total
}
