package interp

import "testing"

// TestForms checks that the table of forms is in the order in which it is searched.
func TestForms(t *testing.T) {
	for i := 1; i < len(forms); i++ {
		if forms[i].order() < forms[i-1].order() {
			t.Errorf("form %#x stands behind %#x", forms[i].key, forms[i-1].key)
		}
	}
}
