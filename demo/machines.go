package demo

// A machine is a device with its system and browsers.
type machine struct {
	share      float64
	device     string
	os         string
	osVersions []string
	screens    []string
	browsers   []browser
}

func (m machine) weight() float64 { return m.share }

type browser struct {
	share    float64
	name     string
	versions []string
}

func (b browser) weight() float64 { return b.share }

var (
	chromium = []string{"139.0.0.0", "140.0.0.0", "141.0.0.0", "142.0.0.0"}
	gecko    = []string{"128.0", "142.0", "143.0", "144.0"}
	webkit   = []string{"17.6", "18.5", "18.6", "26.0", "26.1"}
	wide     = []string{"1920x1080", "1920x1080", "2560x1440", "1536x864", "1366x768", "3840x2160"}
	retina   = []string{"1512x982", "1440x900", "1728x1117", "2560x1440"}
	iphones  = []string{"390x844", "393x852", "430x932", "375x812"}
	androids = []string{"412x915", "360x800", "384x854", "393x873"}
)

var machines = []machine{
	{27, "desktop", "Windows", []string{"10", "10", "11"}, wide, []browser{
		{62, "Chrome", chromium}, {22, "Edge", chromium}, {12, "Firefox", gecko},
		{4, "Opera", []string{"121.0.0.0", "122.0.0.0"}},
	}},
	{22, "desktop", "macOS", []string{"10.15.7", "14.6", "15.5"}, retina, []browser{
		{48, "Chrome", chromium}, {40, "Safari", webkit}, {12, "Firefox", gecko},
	}},
	{6, "desktop", "Linux", []string{""}, wide, []browser{{55, "Chrome", chromium}, {45, "Firefox", gecko}}},
	{1, "desktop", "ChromeOS", []string{"16093.0.0"}, []string{"1366x768", "1920x1080"},
		[]browser{{1, "Chrome", chromium}}},
	{21, "mobile", "iOS", []string{"17.6.1", "18.5", "18.6", "26.0", "26.1"}, iphones, []browser{
		{84, "Safari", webkit}, {14, "Chrome", chromium}, {2, "Firefox", gecko},
	}},
	{18, "mobile", "Android", []string{"12", "13", "14", "15", "16"}, androids, []browser{
		{78, "Chrome", chromium}, {16, "Samsung Internet", []string{"27.0", "28.0"}}, {6, "Firefox", gecko},
	}},
	{3, "tablet", "iOS", []string{"17.6.1", "18.6", "26.0"}, []string{"820x1180", "1024x1366"},
		[]browser{{1, "Safari", webkit}}},
	{1.4, "tablet", "Android", []string{"13", "14"}, []string{"800x1280"}, []browser{{1, "Chrome", chromium}}},
	{0.4, "smarttv", "Android", []string{"12"}, []string{"1920x1080"}, []browser{{1, "Chrome", chromium}}},
	{0.2, "console", "", []string{""}, []string{"1920x1080"}, []browser{{1, "Edge", chromium}}},
}

// slow returns the factor of load times on a type of device, compared with a desktop.
func slow(device string) float64 {
	switch device {
	case "mobile":
		return 1.7
	case "tablet":
		return 1.35
	case "smarttv", "console":
		return 2.4
	default:
		return 1
	}
}
