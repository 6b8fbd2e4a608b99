package placement

import "encoding/json"

// By is a map by place. In JSON it is a map by region of maps by zone.
type By[V any] map[Place]V

// MarshalJSON writes the map. Equal maps have equal texts.
func (m By[V]) MarshalJSON() ([]byte, error) {
	regions := map[string]map[string]V{}
	for at, v := range m {
		if regions[at.Region] == nil {
			regions[at.Region] = map[string]V{}
		}
		regions[at.Region][at.Zone] = v
	}
	return json.Marshal(regions)
}

// UnmarshalJSON reads a text of MarshalJSON.
func (m *By[V]) UnmarshalJSON(text []byte) error {
	var regions map[string]map[string]V
	if err := json.Unmarshal(text, &regions); err != nil {
		return err
	}
	*m = By[V]{}
	for region, zones := range regions {
		for zone, v := range zones {
			(*m)[Place{region, zone}] = v
		}
	}
	return nil
}
